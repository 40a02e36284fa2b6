import json, subprocess, tempfile, time, urllib.request, base64, websocket


class Browser:
    """Headless Chromium, driven over its DevTools protocol."""

    def __init__(self, program="chromium"):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [
                program,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--remote-debugging-port=0",
                "--remote-allow-origins=*",
                f"--user-data-dir={self.folder.name}",
                "about:blank",
            ],
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        for _ in range(300):
            try:
                port = open(self.folder.name + "/DevToolsActivePort").read().split()[0]
                break
            except (FileNotFoundError, IndexError):
                time.sleep(0.1)
        tabs = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json"))
        self.socket = websocket.create_connection(
            [t for t in tabs if t["type"] == "page"][0]["webSocketDebuggerUrl"], timeout=60
        )
        self.id = 0
        self.errors = []
        for d in ("Page", "Runtime", "Log", "Network"):
            self.call(d + ".enable")

    def call(self, method, **params):
        self.id += 1
        self.socket.send(json.dumps(dict(id=self.id, method=method, params=params)))
        while True:
            m = json.loads(self.socket.recv())
            if m.get("id") == self.id:
                if "error" in m:
                    raise RuntimeError(m["error"])
                return m["result"]
            self.note(m)

    def note(self, m):
        if m.get("method") == "Runtime.exceptionThrown":
            self.errors.append(
                m["params"]["exceptionDetails"]
                .get("exception", {})
                .get("description", str(m["params"]["exceptionDetails"]))
            )
        if m.get("method") == "Log.entryAdded" and m["params"]["entry"]["level"] == "error":
            self.errors.append(m["params"]["entry"]["text"])
        if m.get("method") == "Runtime.consoleAPICalled" and m["params"]["type"] in ("error", "warning"):
            self.errors.append(str(m["params"]["args"]))
        if m.get("method") == "Page.javascriptDialogOpening":
            self.errors.append("a dialog opened")

    def js(self, text):
        r = self.call("Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in r:
            raise RuntimeError(r["exceptionDetails"])
        return r["result"].get("value")

    def wait(self, text, seconds=30):
        end = time.time() + seconds
        while time.time() < end:
            if self.js(text):
                return
            time.sleep(0.05)
        raise AssertionError("it never holds: " + text)

    def open(self, path):
        self.call("Page.navigate", url="file://" + path)
        self.wait("!!document.getElementById('verdict')")

    def size(self, w, h, full=False):
        self.call("Emulation.setDeviceMetricsOverride", width=w, height=h, deviceScaleFactor=1, mobile=False)

    def shot(self, path):
        open(path, "wb").write(
            base64.b64decode(
                self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
            )
        )

    def close(self):
        self.process.terminate()
        self.process.wait()
