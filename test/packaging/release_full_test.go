//go:build full

package packaging

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/executable"
)

// contract 1.252
func TestReleaseIsCompleteAndReproducible(t *testing.T) {
	const version = "v0.1.0"
	image := fmt.Sprintf("kontor-release-%d", os.Getpid())
	removeAtEnd(t, "image", "rm", "--force", image+":latest", image+":"+version)
	clone := cloned(t)
	command(t, nil, "make", "-C", clone, "release", "VERSION="+version, "IMAGE="+image)
	first, again := filepath.Join(clone, ".bin", "release"), t.TempDir()
	if got := docker(t, "image", "inspect", `--format={{index .Config.Labels "org.opencontainers.image.version"}}`, image+":"+version); got != version {
		t.Errorf("the image has the version %q", got)
	}
	// From another folder, with another umask and locale.
	command(t, []string{"TZ=Asia/Tokyo", "LANG=tr_TR.UTF-8", "TMPDIR=" + t.TempDir()},
		"sh", "-c", `umask 077 && cd "$0" && .ci/release "$2" "$1"`, cloned(t), again, version)

	sums := read(t, first, "SHA256SUMS")
	if got := read(t, again, "SHA256SUMS"); got != sums {
		t.Errorf("the second release is\n%s\nthe first was\n%s", got, sums)
	}
	command(t, nil, "sh", "-c", `cd "$0" && sha256sum --check --strict --quiet SHA256SUMS`, first)

	var systems []string
	for line := range strings.Lines(sums) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if archive, is := strings.CutSuffix(name, ".tar.gz"); is {
			parts := strings.Split(archive, "_")
			systems = append(systems, strings.Join(parts[len(parts)-2:], "/"))
			assertComplete(t, first, archive)
			assertSBOM(t, first, archive)
		}
	}
	slices.Sort(systems)
	if want := []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64"}; !slices.Equal(systems, want) {
		t.Errorf("the release is for %v, want %v", systems, want)
	}
}

// contract 1.252
func TestReleaseRejectsInvalidVersionAndChanges(t *testing.T) {
	clean, changed := cloned(t), cloned(t)
	if err := os.WriteFile(filepath.Join(changed, "changed"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ folder, version, want string }{
		{clean, "1.0", "is no version"},
		{changed, "v0.1.0", "files differ from the commit"},
		{clean, "v99.0.0", "CHANGELOG.md has no section 99.0.0"},
	} {
		said := command(t, nil, "sh", "-c", `"$0/.ci/release" "$1" "$2" 2>&1 && echo released || true`, c.folder, c.version, t.TempDir())
		if !strings.Contains(said, c.want) || strings.Contains(said, "released\n") {
			t.Errorf("the version %s: %s", c.version, said)
		}
	}
}

// cloned returns a clone of the repository, without what is not committed, in another folder.
func cloned(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "clone")
	command(t, nil, "git", "clone", "--quiet", ".", folder)
	return folder
}

func read(t *testing.T, folder, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// assertComplete checks that an archive contains all files without the builder's
// name, and that the program in it runs, if it can run here.
func assertComplete(t *testing.T, folder, archive string) {
	t.Helper()
	file, err := os.Open(filepath.Join(folder, archive+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]int64{"kontor": 0o755, "LICENSE": 0o644, "README.md": 0o644, "CHANGELOG.md": 0o644, "docs/operations.md": 0o644}
	if strings.Contains(archive, "_linux_") {
		missing["kontor.service"], missing["kontor.env"] = 0o644, 0o644
	}
	for entries := tar.NewReader(unzipped); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		name, inside := strings.CutPrefix(entry.Name, archive+"/")
		if !inside || entry.Uid != 0 || entry.Gid != 0 || entry.Uname != "" || entry.Gname != "" {
			t.Errorf("%s has %s, of %d %s", archive, entry.Name, entry.Uid, entry.Uname)
		}
		if mode, wanted := missing[name]; wanted && entry.Mode == mode {
			delete(missing, name)
		}
		if name == "kontor" && entry.Size > largest {
			t.Errorf("the program in %s has %d bytes, more than %d", archive, entry.Size, largest)
		}
		if name == "kontor" && strings.HasSuffix(archive, "_"+runtime.GOOS+"_"+runtime.GOARCH) {
			runs(t, entries, archive)
		}
	}
	if len(missing) > 0 {
		t.Errorf("%s does not contain, with these modes: %v", archive, missing)
	}
}

func runs(t *testing.T, program io.Reader, archive string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kontor")
	content, err := io.ReadAll(program)
	if err == nil {
		err = executable.Write(file, content)
	}
	if err != nil {
		t.Fatal(err)
	}
	if version := programVersion(t, file).Version; !strings.HasPrefix(archive, "kontor_"+strings.TrimPrefix(version, "v")+"_") {
		t.Errorf("the program in %s has the version %s", archive, version)
	}
}

// assertSBOM checks that the SBOM lists the libraries with versions.
func assertSBOM(t *testing.T, folder, archive string) {
	t.Helper()
	var list struct {
		Format   string `json:"bomFormat"`
		Metadata struct {
			Component struct{ Name, Version string }
		}
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal([]byte(read(t, folder, archive+".cdx.json")), &list); err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, c := range list.Components {
		versions[c.Name] = c.Version
	}
	if list.Format != "CycloneDX" || list.Metadata.Component.Name != "github.com/kontor-crm/kontor" || list.Metadata.Component.Version == "" {
		t.Errorf("%s: the SBOM is of %+v", archive, list.Metadata.Component)
	}
	for _, library := range []string{"github.com/jackc/pgx/v5", "github.com/gin-gonic/gin", "std"} {
		if versions[library] == "" {
			t.Errorf("%s: the SBOM has no version of %s", archive, library)
		}
	}
}

// Neither the cache, here the usual one and an empty one, nor the name of the folder changes the program.
func TestClonesBuildTheSameProgram(t *testing.T) {
	var sums []string
	for _, environment := range [][]string{nil, {"GOCACHE=" + t.TempDir()}} {
		clone := cloned(t)
		command(t, environment, filepath.Join(clone, ".ci", "build"), filepath.Join(clone, "kontor"))
		sum, _, _ := strings.Cut(command(t, nil, "sha256sum", filepath.Join(clone, "kontor")), " ")
		sums = append(sums, sum)
	}
	t.Logf("sha256 of the program: %s", sums[0])
	if sums[0] != sums[1] {
		t.Errorf("the second clone gives %s, the first %s", sums[1], sums[0])
	}
}
