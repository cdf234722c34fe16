package bootstrap

import (
	"runtime"
	"runtime/debug"
)

// Set by the linker in a release, such as
// -ldflags "-X github.com/kontor-crm/kontor/cmd/bootstrap.version=v1.2.3".
// Commit and date are for a build outside of the repository; inside, the
// toolchain records both.
var version, commit, date string

// Version is the build information of this program. Unknown values are empty; an
// unknown version is "devel".
type Version struct {
	Version string `json:"version"`
	Commit  string `json:"commit"` // with "+changes" if the sources differed from it
	Date    string `json:"date"`   // of the commit, as RFC 3339
	Go      string `json:"go"`
}

// BuildVersion returns the version of the running program.
func BuildVersion() Version {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	return versionOf(info)
}

// Team is the build information of a team's program, which contains Kontor as a
// module.
type Team struct {
	Module string `json:"module"` // the path of its main module
	Kontor string `json:"kontor"` // the version of Kontor inside
}

const kontorModule = "github.com/kontor-crm/kontor"

// BuildTeam returns the build information of the team's program; nil if the program
// is Kontor itself.
func BuildTeam() *Team {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	return teamOf(info)
}

func teamOf(info *debug.BuildInfo) *Team {
	for _, m := range info.Deps {
		if m.Path != kontorModule {
			continue
		}
		t := &Team{Module: info.Main.Path, Kontor: m.Version}
		if m.Replace != nil {
			t.Kontor = m.Replace.Version // empty for a folder
		}
		if t.Kontor == "" || t.Kontor == "(devel)" {
			t.Kontor = "devel"
		}
		return t
	}
	return nil
}

func versionOf(info *debug.BuildInfo) Version {
	v := Version{Version: version, Commit: commit, Date: date, Go: info.GoVersion}
	recorded := map[string]string{}
	for _, setting := range info.Settings {
		recorded[setting.Key] = setting.Value
	}
	if v.Commit == "" {
		v.Commit = recorded["vcs.revision"]
		if v.Commit != "" && recorded["vcs.modified"] == "true" {
			v.Commit += "+changes"
		}
	}
	if v.Date == "" {
		v.Date = recorded["vcs.time"]
	}
	if v.Version == "" && info.Main.Version != "(devel)" {
		v.Version = info.Main.Version
	}
	if v.Version == "" {
		v.Version = "devel"
	}
	return v
}
