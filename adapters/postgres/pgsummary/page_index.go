package pgsummary

import (
	"fmt"
	"strconv"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

// A segment of the page index has segmentSize records when it is made, and is split
// when it has more than maxSegment.
const (
	segmentSize = 4096
	maxSegment  = 2 * segmentSize
)

// A pageIndex is the part of page_index that indexes one list.
type pageIndex struct {
	*listdef.List

	table string // page_index, or the one that is staged
}

var pageIndexes, stagedPageIndexes = pageIndexesIn(listdef.PageIndex), pageIndexesIn(staged(listdef.PageIndex))

func pageIndexesIn(table string) (all []pageIndex) {
	for _, l := range listdef.Indexed {
		all = append(all, pageIndex{l, table})
	}
	return all
}

func (p pageIndex) createdAt() string { return p.RecordValue("created_at") }

func (p pageIndex) order() string {
	if p.CreatedAt == "" {
		return "r.id"
	}
	return p.createdAt() + ", r.id"
}

func (p pageIndex) within() string {
	if p.CreatedAt == "" {
		return "r.id >= s.id and r.id < s.next_id"
	}
	return "(" + p.order() + ") >= (s.created_at, s.id) and (" + p.order() + ") < (s.next_created_at, s.next_id)"
}

// bySegment sums rows by the segments that they are in. The two rows of a change
// mostly have the same place and cancel out; only others are looked up.
func (p pageIndex) bySegment(from source) string {
	places := `select created_at, id, sum(delta) as delta
from ` + nested(from(p.List, "created_at", "id")) + ` e
group by created_at, id
having sum(delta) <> 0`
	return `select s.created_at, s.id, sum(e.delta) as delta
from ` + nested(places) + ` e
cross join lateral (
    select i.created_at, i.id
    from ` + p.table + ` i
    where i.list = '` + p.Table + `' and (i.created_at, i.id) <= (e.created_at, e.id)
    order by i.created_at desc, i.id desc
    limit 1
) s
group by s.created_at, s.id`
}

func (p pageIndex) add(from source) string {
	return with(cte{"added as", p.bySegment(from)}) + `update ` + p.table + ` i
set record_count = i.record_count + added.delta
from added
where i.list = '` + p.Table + `' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0`
}

// fill returns the statement that cuts the list into segments where there are none.
func (p pageIndex) fill() string {
	return fmt.Sprintf(`insert into %[6]s (list, created_at, id, record_count)
select '%[1]s', created_at, id, coalesce(lead(place) over (order by place), 1 + (select count(*) from %[1]s)) - place
from (
    select %[2]s as created_at, 0::bigint as id, 1::bigint as place
    union all
    select created_at, id, place
    from (
        select %[3]s as created_at, r.id, row_number() over (order by %[4]s) as place
        from %[1]s r
    ) a
    where place > 1 and place %% %[5]d = 1
) s`, p.Table, listdef.NoTime, p.createdAt(), p.order(), segmentSize, p.table)
}

// segments selects the segments, each with the place of the next one.
func (p pageIndex) segments() string {
	return `select
    created_at, id, record_count,
    coalesce(lead(created_at) over (order by created_at, id), 'infinity') as next_created_at,
    coalesce(lead(id) over (order by created_at, id), 9223372036854775807) as next_id
from page_index
where list = '` + p.Table + `'`
}

// split returns the statement that cuts each segment that is too big behind its
// first records. It looks up the place of the cut, and the changes before it in the
// batch $1 and later ones, in one snapshot, so that both parts stay exact.
func (p pageIndex) split() string {
	before := `select coalesce(sum(e.delta), 0) as delta
from ` + nested(openBatches(p.List, "created_at", "id")) + ` e
where (e.created_at, e.id) >= (s.created_at, s.id) and (e.created_at, e.id) < (c.created_at, c.id)`
	cut := `select s.created_at, s.id, s.record_count, c.created_at as cut_created_at, c.id as cut_id, ` + strconv.Itoa(segmentSize) + ` - o.delta as remaining
from s
cross join lateral (
    select ` + p.createdAt() + ` as created_at, r.id
    from ` + p.Table + ` r
    where ` + p.within() + `
    order by ` + p.order() + `
    offset ` + strconv.Itoa(segmentSize) + `
    limit 1
) c
cross join lateral ` + nested(before) + ` o
where s.record_count > ` + strconv.Itoa(maxSegment)
	shortened := `update page_index i
set record_count = cut.remaining
from cut
where i.list = '` + p.Table + `' and i.created_at = cut.created_at and i.id = cut.id`
	return with(cte{"s as materialized", p.segments()}, cte{"cut as materialized", cut}, cte{"shortened as", shortened}) +
		`insert into page_index (list, created_at, id, record_count)
select '` + p.Table + `', cut_created_at, cut_id, record_count - remaining
from cut`
}

// verify selects the segments that differ from the records, with the changes in the
// batch $1 and later ones, and the first segment if it is missing.
func (p pageIndex) verify() string {
	counted := `select
    s.created_at, s.id, s.record_count + coalesce(o.delta, 0) as stored,
    (select count(*) from ` + p.Table + ` r where ` + p.within() + `) as expected
from s
left join o on o.created_at = s.created_at and o.id = s.id`
	return with(cte{"s as materialized", p.segments()}, cte{"o as", p.bySegment(openBatches)}, cte{"counted as", counted}) + fmt.Sprintf(
		`select concat('%[1]s from ', created_at, ', id ', id) as key, concat('record_count ', stored) as stored, concat('record_count ', expected) as expected
from counted
where stored <> expected
union all
select '%[1]s from the start', 'nothing', 'a segment'
where not exists (select from s where created_at = '-infinity' and id = 0)`, p.Table)
}
