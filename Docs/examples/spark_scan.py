"""Scans the stores of a fleet with Apache Spark, and asks how many are damaged by version of the app.

    spark-submit spark_scan.py UPLOADS RESULTS [--kvfsck PATH] [--partitions N]

UPLOADS is a folder that every worker sees, with one folder a version of the app and in it one folder an
upload: UPLOADS/7.3.1/d41d8cd9/files/mmkv/... Each partition has one kvfsck process, which gets the folders
on its standard input as they come; a store that cannot be read is a row with an error, and ends nothing.
RESULTS becomes a Parquet dataset with one row a store. See Docs/FLEET.md.
"""

import argparse
import json
import os
import subprocess
import sys
import threading

from pyspark.sql import SparkSession
from pyspark.sql import types as T

COLUMNS = {
    "path": T.StringType(),
    "path_hex": T.StringType(),
    "format": T.StringType(),
    "verdict": T.StringType(),
    "entries": T.LongType(),
    "guesses": T.LongType(),
    "lost_at_next_launch": T.LongType(),
    "lost_guesses": T.LongType(),
    "recoverable": T.LongType(),
    "recoverable_guesses": T.LongType(),
    "emptied": T.BooleanType(),
    "superseded": T.LongType(),
    "removed": T.LongType(),
    "residual": T.LongType(),
    "residual_bytes": T.LongType(),
    "findings": T.ArrayType(T.StringType()),
    "error": T.StringType(),
}
SCHEMA = T.StructType(
    [T.StructField("app_version", T.StringType())]
    + [T.StructField(name, kind) for name, kind in COLUMNS.items()]
)

BY_VERSION = """
    SELECT app_version,
           count(*) AS stores,
           round(100 * avg(CASE WHEN verdict IN ('repairable', 'damaged') THEN 1 ELSE 0 END), 2)
             AS damaged_percent,
           sum(lost_at_next_launch) AS entries_the_app_will_lose,
           sum(recoverable) AS entries_to_recover,
           count_if(emptied) AS emptied,
           count(error) AS unread
      FROM stores GROUP BY app_version ORDER BY app_version
"""


def scan(root, kvfsck):
    """The function of a partition: from folders below `root` to rows."""

    def rows(folders):
        # One at a time: Spark runs as many partitions at once as there are processors.
        process = subprocess.Popen(
            [kvfsck, "scan", "--files0-from", "-", "--json", "--jobs", "1"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

        def feed():
            # Names may hold line feeds; a process that has ended is told apart by its exit status.
            try:
                with process.stdin as paths:
                    for folder in folders:
                        paths.write(os.fsencode(folder) + b"\0")
            except BrokenPipeError:
                pass

        feeder = threading.Thread(target=feed, daemon=True)
        feeder.start()
        is_complete = False
        for line in process.stdout:
            result = json.loads(line)
            if result["type"] == "totals":
                is_complete = True
                continue
            version = os.path.relpath(result["path"], root).split(os.sep)[0]
            yield (version, *(result.get(name) for name in COLUMNS))
        feeder.join()
        # 8 says that some store could not be read, which its row says too.
        if process.wait() not in (0, 8) or not is_complete:
            raise RuntimeError(f"kvfsck ended with {process.returncode} before the end")

    return rows


def uploads(root):
    """The folders of the uploads, in order."""
    for version in sorted(os.listdir(root)):
        folder = os.path.join(root, version)
        for name in sorted(os.listdir(folder)):
            yield os.path.join(folder, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("uploads")
    parser.add_argument("results")
    parser.add_argument("--kvfsck", default="kvfsck")
    parser.add_argument("--partitions", type=int)
    options = parser.parse_args()

    spark = SparkSession.builder.appName("kvfsck").getOrCreate()
    folders = list(uploads(options.uploads))
    count = options.partitions or 4 * spark.sparkContext.defaultParallelism
    found = spark.sparkContext.parallelize(folders, max(1, min(count, len(folders))))
    rows = found.mapPartitions(scan(options.uploads, options.kvfsck))
    spark.createDataFrame(rows, SCHEMA).write.mode("errorifexists").parquet(options.results)

    spark.read.parquet(options.results).createOrReplaceTempView("stores")
    spark.sql(BY_VERSION).show(n=1000, truncate=False)
    spark.stop()


if __name__ == "__main__":
    sys.exit(main())
