import { sha256Now } from '../sha256.ts'
import type { Archive } from './archive.ts'
import {
  Broken,
  canonical,
  concat,
  encode,
  fromBase64,
  hex,
  type Json,
  member,
  parseJson,
  textMember,
  toBase64Url,
} from './bytes.ts'
import type { SeenRecord } from './log.ts'
import { isBound } from './obligations.ts'
import { NotChecked } from './report.ts'

// Rows against the log: an audit record commits to what each object was after it. A row of such an object is
// `{state, bound: {type, id, revision, form, salt}, values?}`.

const stateDomain = encode('agcp.state.v1\n')

/** Files whose rows the log must commit to, once their service binds rows. */
const boundFiles = [
  ...['members', 'agents', 'agent-versions', 'releases', 'policies', 'policy-bindings', 'executions', 'input-events'],
  ...['input-waits', 'input-resolutions', 'files', 'approvals', 'approval-votes', 'decisions'],
]

type Committed = { revision: number; digest: string | null }

/** Collects the commitments of the records, and then compares the rows with them. */
export function commitments() {
  /** The newest of each object, by type and id. */
  const newest = new Map<string, Committed>()
  return {
    add({ record, seq }: SeenRecord) {
      const states = member(record, 'states')
      if (states === undefined) return
      if (!Array.isArray(states)) throw new Broken(`Record ${seq} has malformed commitments.`)
      for (const state of states) {
        const [revision, digest] = [member(state, 'revision'), member(state, 'digest')]
        if (typeof revision !== 'number' || (typeof digest !== 'string' && digest !== null))
          throw new Broken(`Record ${seq} has malformed commitments.`)
        const key = `${textMember(state, 'type', `Record ${seq}`)} ${textMember(state, 'id', `Record ${seq}`)}`
        const before = newest.get(key)
        if (before !== undefined && before.revision >= revision)
          throw new Broken(`Record ${seq} commits to ${key} at revision ${revision} again.`)
        newest.set(key, { revision, digest })
      }
    },
    async check(archive: Archive): Promise<string> {
      let [bound, plain] = [0, 0]
      for (const file of boundFiles) {
        const path = `data/${file}.ndjson`
        if (!archive.has(path)) throw new Broken(`${path} is missing.`)
        for await (const line of archive.linesIn(path)) {
          const row = parseJson(line, `A line of ${path}`)
          if (isBound(row)) {
            rowIsCommitted(row, newest, path)
            bound += 1
          } else plain += 1
        }
      }
      if (plain > 0)
        throw new NotChecked(
          `${bound === 0 ? 'The log does not commit' : `${bound} rows are as the log commits to them; it does not commit`} to ${plain} rows: the service that wrote them is older than commitments.`,
        )
      return `All ${bound} rows are as the log commits to them.`
    },
  }
}

function rowIsCommitted(row: Json, newest: ReadonlyMap<string, Committed>, path: string): void {
  const [state, bound] = [member(row, 'state') ?? null, member(row, 'bound')]
  const of = `A row of ${path}`
  const key = `${textMember(bound, 'type', of)} ${textMember(bound, 'id', of)}`
  const committed = newest.get(key)
  if (committed === undefined) throw new Broken(`No record in the archive commits to ${key} in ${path}.`)
  if (committed.digest === null) throw new Broken(`The log says that ${key} was removed, but ${path} has it.`)
  if (member(bound, 'revision') !== committed.revision)
    throw new Broken(
      `${path} has ${key} at revision ${String(member(bound, 'revision'))}; the log has ${committed.revision}.`,
    )
  const salt = fromBase64Url(textMember(bound, 'salt', of))
  const digest = `sha256:${hex(sha256Now(concat(stateDomain, salt, encode(canonical(state)))))}`
  if (salt.length !== 32 || digest !== committed.digest)
    throw new Broken(`${key} in ${path} is not what the log commits to.`)
  const values = member(row, 'values')
  if (values === undefined) return
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw new Broken(`${of} has malformed values.`)
  for (const [name, value] of Object.entries(values)) {
    const opened = sha256Now(encode(canonical([member(value, 'salt') ?? null, member(value, 'value') ?? null])))
    if (member(state, name) !== toBase64Url(opened))
      throw new Broken(`${name} of ${key} in ${path} is not the value that the log commits to.`)
  }
}

export const fromBase64Url = (text: string) =>
  fromBase64(`${text.replaceAll('-', '+').replaceAll('_', '/')}${'='.repeat((4 - (text.length % 4)) % 4)}`)
