import KVModel
import KVSystem
import SystemPackage

/// The file by which LAVA finds the content of its database, and the tables that LEAPP creates in
/// addition to those of artifacts.
struct LAVAManifest {
  static let fileName = "_lava_data.lava"
  static let databaseName = "_lava_artifacts.db"
  /// The category under which LAVA lists the artifacts.
  private static let category = "Key-Value Stores"
  private static let tool = "kvfsck"

  private let run: ReportRun
  private let output: FilePath
  private let artifacts: [LEAPPArtifact]
  private let counts: [String: Int]

  /// Creates the manifest of `artifacts`; those with no rows in `counts` are left out.
  init(
    _ run: ReportRun, output: FilePath, _ artifacts: [LEAPPArtifact], _ counts: [String: Int]
  ) {
    self.run = run
    self.output = output
    self.artifacts = artifacts.filter { counts[$0.table.name] != nil }
    self.counts = counts
  }

  /// Returns the statements that create the database's tables.
  static func creation(_ artifacts: [LEAPPArtifact]) -> String {
    let tables = artifacts.map { artifact in
      let columns = artifact.columns.map {
        "\"\($0.name)\" \($0.content == .time ? "INTEGER" : "TEXT")"
      }
      return "CREATE TABLE \"\(artifact.name)\" (\(columns.joined(separator: ", ")));\n"
    }
    return tables.joined() + """
      CREATE TABLE _artifact_search_patterns(
        id INTEGER PRIMARY KEY, module_name TEXT NOT NULL, artifact_name TEXT NOT NULL,
        regex TEXT NOT NULL);
      CREATE TABLE _file_path_list(id INTEGER PRIMARY KEY, file_path TEXT NOT NULL);
      CREATE TABLE _artifact_pattern_to_file(
        id INTEGER PRIMARY KEY,
        artifact_search_pattern_id INTEGER NOT NULL REFERENCES _artifact_search_patterns(id),
        file_path_id INTEGER NOT NULL REFERENCES _file_path_list(id));
      CREATE TABLE _lava_media_items(
        id TEXT PRIMARY KEY, source_path TEXT, extraction_path TEXT, type TEXT, metadata TEXT,
        created_at INTEGER, updated_at INTEGER, is_embedded INTEGER);
      CREATE TABLE _lava_media_references(
        id TEXT PRIMARY KEY, media_item_id TEXT REFERENCES _lava_media_items(id),
        module_name TEXT, artifact_name TEXT, name TEXT);
      CREATE VIEW _lava_media_info AS
        SELECT lmr.id AS media_ref_id, media_item_id, module_name, artifact_name, name,
          source_path, extraction_path, type, metadata, created_at, updated_at, is_embedded
        FROM _lava_media_references AS lmr
          LEFT JOIN _lava_media_items AS lmi ON lmr.media_item_id = lmi.id;
      """
  }

  /// The manifest as JSON.
  var text: String {
    JSONLine.text { $0.object(write) } + "\n"
  }

  private func write(_ line: inout JSONLine) {
    line.member("lava_schema_version", 2)
    line.member("parser_info") { $0.object(parser) }
    line.member("param_input", run.arguments.joined(separator: " "))
    line.member("param_output", output.text)
    line.member("param_type", "fs")
    line.member("param_profile", nil as String?)
    line.member("profile_used") { $0.literal(false) }
    line.member("processing_status", "Complete")
    line.member("lava_db_name", Self.databaseName)
    line.member("modules") {
      $0.array([Self.tool]) { line, tool in
        line.object {
          $0.member("module_name", tool)
          $0.member("module_status", "Complete")
        }
      }
    }
    line.member("artifacts") { line in
      line.object { $0.member(Self.category) { $0.array(artifacts, entry) } }
    }
    line.member("meta") { $0.object { $0.member("modules") { $0.array([Self.tool], module) } } }
  }

  private func parser(_ line: inout JSONLine) {
    line.member("leapp_name", Self.tool)
    line.member("leapp_version", run.version)
    line.member("leapp_mode", "CLI")
    line.member("start_timestamp", Int(run.start))
    line.member("end_timestamp", Int(run.end))
  }

  private func module(_ line: inout JSONLine, _ name: String) {
    line.object { line in
      line.member("module_name", name)
      line.member("module_filename", name)
      line.member("artifacts") {
        $0.array(artifacts) { line, artifact in
          line.object { line in
            line.member("artifact_key", artifact.name)
            line.member("tablename", artifact.name)
            line.member("name", artifact.title)
            line.member("description", artifact.table.meaning)
            for name in ["author", "created_date", "last_updated_date", "notes"] {
              line.member(name, "")
            }
            line.member("category", Self.category)
          }
        }
      }
    }
  }

  private func entry(_ line: inout JSONLine, _ artifact: LEAPPArtifact) {
    line.object { line in
      line.member("artifact_key", artifact.name)
      line.member("name", artifact.title)
      line.member("tablename", artifact.name)
      line.member("module", Self.tool)
      line.member("artifact_icon", "database")
      line.member("record_count", counts[artifact.table.name, default: 0])
      line.member("column_map") {
        $0.object { line in
          for column in artifact.columns { line.member(column.name, column.title) }
        }
      }
      line.member("object_columns") {
        $0.array(artifact.columns.filter { $0.content == .time }) { line, column in
          line.object {
            $0.member("name", column.name)
            $0.member("type", "datetime")
          }
        }
      }
    }
  }
}
