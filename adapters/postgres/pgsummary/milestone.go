package pgsummary

import "strconv"

// A piece of a list has this many records when it is made, and is split when it
// has more than twice as many.
const piece = 4096

var (
	pieceText  = strconv.Itoa(piece)
	tooBigText = strconv.Itoa(2 * piece)
)

// noTime is where all places lie in a list that is in the order of ids alone.
const noTime = "'-infinity'::timestamptz"

// birth is when the record r was created.
func (l list) birth() string {
	if l.created == "" {
		return noTime
	}
	return "r." + l.created
}

// order is the columns of r that the list is in the order of.
func (l list) order() string {
	if l.created == "" {
		return "r.id"
	}
	return "r." + l.created + ", r.id"
}

// within tells whether r lies in the piece p.
func (l list) within() string {
	if l.created == "" {
		return "r.id >= p.id and r.id < p.next_id"
	}
	return "(" + l.order() + ") >= (p.created_at, p.id) and (" + l.order() + ") < (p.next_created_at, p.next_id)"
}

// byPiece adds images up by the pieces that they fall into. What a record was
// and is mostly lies at one place, and is looked up only where it does not come
// to nothing.
func (l list) byPiece(from source) string {
	return `
select p.created_at, p.id, sum(i.delta) as delta
from (
    select created_at, id, sum(delta) as delta
    from (` + from(l) + `
    ) a
    group by created_at, id
    having sum(delta) <> 0
) i
cross join lateral (
    select m.created_at, m.id
    from page_index m
    where m.list = '` + l.name + `' and (m.created_at, m.id) <= (i.created_at, i.id)
    order by m.created_at desc, m.id desc
    limit 1
) p
group by p.created_at, p.id`
}

// addMilestones adds images to the pieces that they fall into.
func (l list) addMilestones(from source) string {
	return `
with noted as (` + l.byPiece(from) + `
)
update page_index m
set record_count = m.record_count + noted.delta
from noted
where m.list = '` + l.name + `' and m.created_at = noted.created_at and m.id = noted.id and noted.delta <> 0`
}

// setMilestones cuts the list anew, as it is, where page_index has none of it.
func (l list) setMilestones() string {
	return `
insert into page_index (list, created_at, id, record_count)
select '` + l.name + `', created_at, id, coalesce(lead(place) over (order by place), 1 + (select count(*) from ` + l.name + `)) - place
from (
    select ` + noTime + ` as created_at, 0::bigint as id, 1::bigint as place
    union all
    select created_at, id, place
    from (
        select ` + l.birth() + ` as created_at, r.id, row_number() over (order by ` + l.order() + `) as place
        from ` + l.name + ` r
    ) a
    where place > 1 and place % ` + pieceText + ` = 1
) p`
}

// pieces are the list's rows in page_index, each with the place of the next.
func (l list) pieces() string {
	return `
select
    created_at, id, record_count,
    coalesce(lead(created_at) over (order by created_at, id), 'infinity') as next_created_at,
    coalesce(lead(id) over (order by created_at, id), 9223372036854775807) as next_id
from page_index
where list = '` + l.name + `'`
}

// split cuts each piece that is too big behind its first records. The place and
// what was noted before it from the batch $1 on are looked up in one snapshot, so
// that both parts stay exact.
func (l list) split() string {
	return `
with p as materialized (` + l.pieces() + `
), cut as materialized (
    select
        p.created_at, p.id, p.record_count, k.created_at as at_created_at, k.id as at_id,
        ` + pieceText + ` - (
            select coalesce(sum(i.delta), 0)
            from (` + open(l) + `
            ) i
            where (i.created_at, i.id) >= (p.created_at, p.id) and (i.created_at, i.id) < (k.created_at, k.id)
        ) as stay
    from p
    cross join lateral (
        select ` + l.birth() + ` as created_at, r.id
        from ` + l.name + ` r
        where ` + l.within() + `
        order by ` + l.order() + `
        offset ` + pieceText + `
        limit 1
    ) k
    where p.record_count > ` + tooBigText + `
), shortened as (
    update page_index m
    set record_count = cut.stay
    from cut
    where m.list = '` + l.name + `' and m.created_at = cut.created_at and m.id = cut.id
)
insert into page_index (list, created_at, id, record_count)
select '` + l.name + `', at_created_at, at_id, record_count - stay
from cut`
}

// milestoneDifferences are the pieces that say, with what was noted from the
// batch $1 on, something else than the records, and a first place that is missing.
func (l list) milestoneDifferences() string {
	return `
with p as materialized (` + l.pieces() + `
), noted as (` + l.byPiece(open) + `
), said as (
    select
        p.created_at, p.id, p.record_count + coalesce(noted.delta, 0) as record_count,
        (
            select count(*)
            from ` + l.name + ` r
            where ` + l.within() + `
        ) as counted
    from p
    left join noted on noted.created_at = p.created_at and noted.id = p.id
)
select concat('` + l.name + ` from ', created_at, ', id ', id) as key, concat('record_count ', record_count) as says, concat('record_count ', counted) as "is"
from said
where record_count <> counted
union all
select '` + l.name + ` from the start', 'nothing', 'a place'
where not exists (select from p where created_at = '-infinity' and id = 0)`
}
