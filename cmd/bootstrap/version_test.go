package bootstrap

import (
	"runtime/debug"
	"testing"
)

func TestVersionIsReadFromTheBuildInfo(t *testing.T) {
	buildInfo := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: version}, Settings: settings}
	}
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "abc"}
	date := debug.BuildSetting{Key: "vcs.time", Value: "2026-11-21T18:00:00Z"}
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want Version
	}{
		"without a repository": {buildInfo("(devel)"), Version{"devel", "", "", "go1.26.0"}},
		"a tag":                {buildInfo("v1.2.3", commit, date), Version{"v1.2.3", "abc", "2026-11-21T18:00:00Z", "go1.26.0"}},
		"modified sources":     {buildInfo("", commit, debug.BuildSetting{Key: "vcs.modified", Value: "true"}), Version{"devel", "abc+changes", "", "go1.26.0"}},
	} {
		if got := versionOf(c.info); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestVersionOfKontorInATeamsProgram(t *testing.T) {
	with := func(m debug.Module) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Path: "example.org/crm"}, Deps: []*debug.Module{{Path: "example.org/other", Version: "v9.0.0"}, &m}}
	}
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"a release":        {with(debug.Module{Path: kontorModule, Version: "v1.2.3"}), "v1.2.3"},
		"a fork":           {with(debug.Module{Path: kontorModule, Version: "v1.2.3", Replace: &debug.Module{Path: "example.org/fork", Version: "v1.2.4"}}), "v1.2.4"},
		"a folder":         {with(debug.Module{Path: kontorModule, Version: "v1.2.3", Replace: &debug.Module{Path: "../kontor"}}), "devel"},
		"a local revision": {with(debug.Module{Path: kontorModule, Version: "(devel)"}), "devel"},
	} {
		if got := teamOf(c.info); got == nil || *got != (Team{"example.org/crm", c.want}) {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
	if got := teamOf(&debug.BuildInfo{Main: debug.Module{Path: kontorModule}}); got != nil {
		t.Errorf("Kontor itself is the program of %+v", got)
	}
}
