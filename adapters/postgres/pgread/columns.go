package pgread

import "maps"

// own returns the columns of the row r that have the names of their attributes.
func own(names ...string) map[string]string { return columns("", "r", names...) }

// columns returns columns of the table with that alias, by their names behind the prefix.
func columns(prefix, alias string, names ...string) map[string]string {
	all := make(map[string]string, len(names))
	for _, name := range names {
		all[prefix+name] = alias + "." + name
	}
	return all
}

// sortKeys returns the keys of texts of the row r, which are beside them.
func sortKeys(names ...string) map[string]string {
	keys := make(map[string]string, len(names))
	for _, name := range names {
		keys[name] = "r." + name + "_key"
	}
	return keys
}

func merge(columns ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range columns {
		maps.Copy(all, m)
	}
	return all
}
