import { camelCase } from './state.ts'
import type { BoundType } from './types.ts'

// SQL that gives the JSON of a row from which `stateOf` makes its state. The process composes it: a function of the database
// that did so could be replaced.

const commitment = (value: string): string =>
  `case when ${value} is null then null
    when substring(${value} from 1 for 1) = '\\x04' and octet_length(${value}) >= 37
      then to_jsonb(rtrim(translate(encode(substring(${value} from 6 for 32), 'base64'), '+/', '-_'), '='))
    when substring(${value} from 1 for 1) = '\\x05' and octet_length(${value}) = 33
      then to_jsonb(rtrim(translate(encode(substring(${value} from 2 for 32), 'base64'), '+/', '-_'), '='))
    else jsonb_build_object('ciphertext', encode(sha256(${value}), 'hex')) end`

/** The bytes of a value on which its commitment depends: by their length, no two forms are alike. */
const committedBytes = (value: string): string =>
  `case when substring(${value} from 1 for 1) = '\\x04' and octet_length(${value}) >= 37 then substring(${value} from 1 for 37)
    when substring(${value} from 1 for 1) = '\\x05' and octet_length(${value}) = 33 then ${value}
    else sha256(${value}) end`

const moment = (value: string, format = 'MS'): string =>
  `case when isfinite(${value}) then to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.${format}"Z"') else ${value}::text end`

/** Attributes without members that an erasure or a mask changes. SQL may have written another form, which is kept as it is. */
const provable = (value: string): string =>
  `case when jsonb_typeof(${value}) = 'array' then (
      select coalesce(jsonb_agg(case when jsonb_typeof(one) = 'object' then one - '{masked,erased}'::text[] else one end
        order by place), '[]')
      from jsonb_array_elements(case when jsonb_typeof(${value}) = 'array' then ${value} else '[]' end)
        with ordinality as attribute (one, place))
    else ${value} end`

/** The state of a row `r` as JSON; `content` gives the commitment of a column with content. */
export function stateText(bound: BoundType, content: (column: string) => string): string {
  const { key, plain, times, micros = [], attributes = [], large = [], bytes = [], committed = [] } = bound
  const members = [
    ...[...key.map(([column]) => column), ...plain, ...committed].map((column) => [column, `r.${column}`]),
    ...times.map((column) => [column, moment(`r.${column}`)]),
    ...micros.map((column) => [column, moment(`r.${column}`, 'US')]),
    ...attributes.map((column) => [column, provable(`r.${column}`)]),
    ...large.map((column) => [column, `r.${column}::text`]),
    ...bytes.map((column) => [column, `encode(r.${column}, 'base64')`]),
    ...(bound.content ?? []).map((column) => [column, content(column)]),
  ]
  const pairs = members.map(([column = '', value]) => `'${camelCase(column)}', ${value}`)
  return `json_build_object(${pairs.join(', ')})::text`
}

/** The state of a row `r` as JSON. */
export const currentText = (bound: BoundType): string => stateText(bound, (column) => commitment(`r.${column}`))

/** The id of a row's object. */
export const idText = ({ key }: BoundType, row = 'r'): string =>
  key.map(([column]) => `${row}.${column}::text`).join(` || '/' || `)
/** The further condition on the rows of a type, if only some of the table's rows are bound. */
export const onlyRows = ({ only }: BoundType): string => (only === undefined ? '' : `and ${only}`)
/** The same as `currentText`, null if a join did not find the row. */
export const rowText = (bound: BoundType): string =>
  `case when r.tenant_id is null then null else ${currentText(bound)} end`

/**
 * All that decides whether the row `r` is the one of its bound state `b`, as a JSON array: the values on which the row's state depends, and
 * the bound state. What has the same text as before needs no further comparison. It takes PostgreSQL much less time than `rowText`, which
 * names each value and writes it as the state has it.
 */
export function valuesText(bound: BoundType): string {
  const {
    key,
    plain,
    times,
    micros = [],
    attributes = [],
    large = [],
    bytes = [],
    committed = [],
    content = [],
  } = bound
  const values = [
    ...[...key.map(([column]) => column), ...plain, ...committed, ...times, ...micros, ...large, ...bytes].map(
      (column) => `r.${column}`,
    ),
    ...attributes.map((column) => provable(`r.${column}`)),
    ...content.map((column) => committedBytes(`r.${column}`)),
  ]
  return `json_build_array(${values.join(', ')}, b.form, b.revision, b.digest, b.audit_id, b.mac)::text`
}
