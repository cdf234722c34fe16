package expression

import (
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kontor-crm/kontor/domain/civil"
)

// unguarded turns off CEL's check of argument types, for functions that check them themselves: CEL's
// check takes longer than they do.
var unguarded = decls.DisableTypeGuards(true)

// equality is == and !=, which take operands of any types here: the checker checks them.
func equality() []cel.EnvOption {
	a, b := cel.TypeParamType("A"), cel.TypeParamType("B")
	return []cel.EnvOption{
		cel.Function("_==_", cel.Overload("equals", []*cel.Type{a, b}, cel.BoolType)),
		cel.Function("_!=_", cel.Overload("not_equals", []*cel.Type{a, b}, cel.BoolType)),
	}
}

// textFunctions work on texts. Their results are no longer than their operands.
func textFunctions() []cel.EnvOption {
	changed := func(name string, change func(string) string) cel.EnvOption {
		return cel.Function(name, cel.MemberOverload("text_"+name, []*cel.Type{cel.StringType}, cel.StringType,
			cel.UnaryBinding(func(v ref.Val) ref.Val { return types.String(change(string(v.(types.String)))) })))
	}
	return []cel.EnvOption{
		changed("lower", strings.ToLower),
		changed("upper", strings.ToUpper),
		changed("trim", strings.TrimSpace),
	}
}

// timePart is a part of a date and time, as a function of a timestamp. CEL also has one with the
// name of a zone.
type timePart struct {
	name, overload, inZone string
	value                  func(t time.Time) int
}

var timeParts = []timePart{
	{"getFullYear", "timestamp_to_year", "timestamp_to_year_with_tz", func(t time.Time) int { return t.Year() }},
	{"getMonth", "timestamp_to_month", "timestamp_to_month_with_tz", func(t time.Time) int { return int(t.Month()) - 1 }},
	{"getDayOfYear", "timestamp_to_day_of_year", "timestamp_to_day_of_year_with_tz", func(t time.Time) int { return t.YearDay() - 1 }},
	{"getDayOfMonth", "timestamp_to_day_of_month", "timestamp_to_day_of_month_with_tz", func(t time.Time) int { return t.Day() - 1 }},
	{"getDate", "timestamp_to_day_of_month_1_based", "timestamp_to_day_of_month_1_based_with_tz", func(t time.Time) int { return t.Day() }},
	{"getDayOfWeek", "timestamp_to_day_of_week", "timestamp_to_day_of_week_with_tz", func(t time.Time) int { return int(t.Weekday()) }},
	{"getHours", "timestamp_to_hours", "timestamp_to_hours_with_tz", func(t time.Time) int { return t.Hour() }},
	{"getMinutes", "timestamp_to_minutes", "timestamp_to_minutes_with_tz", func(t time.Time) int { return t.Minute() }},
	{"getSeconds", "timestamp_to_seconds", "timestamp_to_seconds_tz", func(t time.Time) int { return t.Second() }},
	{"getMilliseconds", "timestamp_to_milliseconds", "timestamp_to_milliseconds_with_tz", func(t time.Time) int {
		return t.Nanosecond() / 1e6
	}},
}

func timeFunctions(zone *time.Location) []cel.EnvOption {
	options := []cel.EnvOption{
		cel.Function("date", cel.Overload("string_to_date", []*cel.Type{cel.StringType}, cel.TimestampType,
			cel.UnaryBinding(func(v ref.Val) ref.Val { return dateFrom(string(v.(types.String)), zone) }))),
		cel.Function("day", cel.MemberOverload("timestamp_day", []*cel.Type{cel.TimestampType}, cel.StringType,
			cel.UnaryBinding(func(v ref.Val) ref.Val {
				t, ok := v.(types.Timestamp)
				if !ok {
					return types.MaybeNoSuchOverloadErr(v)
				}
				return types.String(t.In(zone).Format(time.DateOnly))
			}))),
	}
	for _, part := range timeParts {
		options = append(options, cel.Function(part.name, unguarded,
			cel.MemberOverload(part.overload, []*cel.Type{cel.TimestampType}, cel.IntType, cel.UnaryBinding(func(v ref.Val) ref.Val {
				t, ok := v.(types.Timestamp)
				if !ok {
					return types.MaybeNoSuchOverloadErr(v)
				}
				return types.Int(part.value(t.In(zone)))
			}))))
	}
	return options
}

// dateFrom is the instant at which a clock in the zone shows the date.
func dateFrom(text string, zone *time.Location) ref.Val {
	t, err := civil.Parse(text)
	if err != nil {
		return types.NewErr("date(%q): %v", text, err)
	}
	return types.Timestamp{Time: inZone(t, zone)}
}

func timestampFrom(text string) ref.Val {
	v := types.String(text).ConvertToType(types.TimestampType)
	if types.IsError(v) {
		return types.NewErr(`timestamp(%q): must be RFC 3339, such as "2026-01-31T12:00:00+01:00"`, text)
	}
	return v
}

func durationFrom(text string) ref.Val {
	v := types.String(text).ConvertToType(types.DurationType)
	if types.IsError(v) {
		return types.NewErr(`duration(%q): must be a number of hours, minutes or seconds, such as "36h" or "1h30m"`, text)
	}
	return v
}
