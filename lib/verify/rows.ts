import type { Archive } from './archive.ts'
import { type AsOf, isBefore, whenRead } from './border.ts'
import {
  Broken,
  type Bytes,
  canonical,
  concat,
  encode,
  fromBase64,
  fromHex,
  type Json,
  member,
  parseLine,
  sameBytes,
  sha256OfText,
  textMember,
  toBase64Url,
} from './bytes.ts'
import { all, counted } from './counted.ts'
import { membersBeyond } from './known.ts'
import type { SeenRecord } from './log.ts'
import { mostForms, type Objects, objectTable, type Room } from './objects.ts'
import { isBound, omissionsOf, recordsIn } from './obligations.ts'
import { NotChecked } from './report.ts'

// Rows against the log: an audit record commits to what each object was after it. A row of such an object is
// `{state, bound: {type, id, revision, form, salt}, values?}`.

const stateDomain = encode('agcp.state.v1\n')

/** The type of the objects in each file of rows. */
const typeOfFile = new Map([
  ['members', 'member'],
  ['agents', 'agent'],
  ['agent-owners', 'agent_owner'],
  ['agent-versions', 'agent_version'],
  ['releases', 'release'],
  ['policies', 'policy_version'],
  ['policy-names', 'policy'],
  ['policy-bindings', 'policy_binding'],
  ['executions', 'execution'],
  ['execution-events', 'execution_event'],
  ['execution-steps', 'execution_step'],
  ['input-events', 'input_event'],
  ['input-waits', 'input_wait'],
  ['input-resolutions', 'input_resolution'],
  ['files', 'file'],
  ['file-uses', 'file_use'],
  ['approvals', 'approval'],
  ['approval-questions', 'approval_question'],
  ['approval-revisions', 'approval_revision'],
  ['approval-terms', 'approval_terms'],
  ['approval-votes', 'approval_vote'],
  ['standing-grants', 'standing_grant'],
  ['standing-grant-uses', 'standing_grant_use'],
  ['decisions', 'decision'],
  ['execution-spans', 'span'],
])
const fileOfType = new Map([...typeOfFile].map(([file, type]) => [type, file]))
/** Archives whose rows are not bound lack these files. */
const newerFiles = new Set(['agent-owners', 'policy-names', 'file-uses'])

/** Files that archives of earlier services lack. If the log commits to any of their rows, they are found missing. */
const addedFiles = new Set([
  'approval-questions',
  'approval-revisions',
  'approval-terms',
  'standing-grants',
  'standing-grant-uses',
])

/** Types whose rows archives of earlier services lack although the log may commit to them, and the file of each. */
const laterTypes = new Map([
  ['span', 'execution-spans'],
  ['execution_step', 'execution-steps'],
])
/** Those of them that this archive lacks, and need not have: the manifest says which of them it has. */
export const typesWithoutRows = (archive: Archive, has: { spans: boolean; steps: boolean }): ReadonlySet<string> =>
  new Set(
    [...laterTypes].flatMap(([type, file]) =>
      archive.has(`data/${file}.ndjson`) || (type === 'span' ? has.spans : has.steps) ? [] : [type],
    ),
  )

/** The columns of an id, by type; `id` alone for the others. */
const keyOfType = new Map([
  ['agent_owner', ['agentId', 'memberId']],
  ['policy_version', ['policyId', 'version']],
  ['execution_event', ['executionId', 'seq']],
  ['execution_step', ['executionId', 'stepId']],
  ['file_use', ['fileId', 'executionId', 'role']],
  ['approval_question', ['approvalId', 'id']],
  ['approval_revision', ['approvalId']],
  ['approval_terms', ['approvalId']],
  ['approval_vote', ['approvalId', 'id']],
  ['standing_grant_use', ['grantId', 'number']],
  ['span', ['day', 'traceId', 'spanId']],
])
const idOf = (type: string, state: Json): string =>
  (keyOfType.get(type) ?? ['id']).map((name) => String(member(state, name))).join('/')

/**
 * Collects the commitments of the records, and then compares the rows with them. `asOf`: when the rows were read.
 * `withoutRows`: types whose file the archive lacks. `eachRow` receives each row.
 */
export function commitments(
  asOf: AsOf | undefined,
  { allBound, withoutRows, room }: { allBound: boolean; withoutRows: ReadonlySet<string>; room: Room },
  eachRow: (type: string, row: Json) => void,
) {
  const objects = objectTable(room)
  let read = false
  return {
    /** `check` came to the end of the rows. */
    isRead: () => read,
    /** `inLog`: the record is in the archive's log, so that the archive must have the rows that it commits to. */
    add(seen: SeenRecord, inLog = true) {
      if (!isBefore(asOf, seen)) return
      for (const { type, id, ...state } of statesIn(seen)) {
        if (withoutRows.has(type)) continue
        const known = objects.get(type, id)
        if (known?.revision === state.revision)
          throw new Broken(`Record ${seen.seq} commits to ${type} ${id} at revision ${state.revision} again.`)
        const owed = inLog || known?.owed === true
        // Records outside the archive's log come first, and may be newer.
        if (known !== undefined && known.revision > state.revision) objects.set(type, id, { ...known, owed })
        else objects.set(type, id, { ...state, owed, seen: false })
      }
    },
    async check(archive: Archive): Promise<string> {
      let [bound, plain] = [0, 0]
      const others = new Set<string>()
      for (const [file, type] of typeOfFile) {
        const path = `data/${file}.ndjson`
        if (withoutRows.has(type)) continue
        if (addedFiles.has(file) && !archive.has(path)) continue
        if (!allBound && newerFiles.has(file) && !archive.has(path)) continue
        if (!archive.has(path)) throw new Broken(`${path} is missing.`)
        for await (const line of archive.linesIn(path)) {
          const row = parseLine(line, `A line of ${path}`)
          eachRow(type, row)
          if (isBound(row)) {
            rowIsCommitted(row, objects, { path, type })
            for (const name of otherMembers(row)) if (others.size < mostOthers) others.add(`${name} in ${path}`)
            bound += 1
          } else plain += 1
        }
      }
      read = true
      if (plain > 0)
        throw new NotChecked(
          `${bound === 0 ? 'No rows are' : counted(bound, 'row is', 'rows are')} compared with the log; ${counted(plain, 'is shown without its commitments, so only the seal covers it', 'are shown without their commitments, so only the seal covers them')}.`,
        )
      if (others.size > 0)
        throw new NotChecked(
          `${all(bound, 'row is', 'rows are')} compared with the log, but only the seal covers members that this verifier does not know: ${[...others].join(', ')}.`,
        )
      return `${all(bound, 'row is as the log commits to it', 'rows are as the log commits to them')}${whenRead(asOf)}.`
    },
    /** Each row that the archive's log commits to is there, or listed as left out. Call it after `check`. */
    async checkMissing(archive: Archive): Promise<void> {
      if (!allBound)
        throw new NotChecked(
          'The service had not bound all rows to the log when it made this archive: only those that the log says were created are known to be here.',
        )
      if (objects.missing() === 0) return
      const omitted = await omissionsOf(archive, room)
      for await (const seen of recordsIn(archive))
        for (const { type, id } of statesIn(seen)) {
          const [known, file = ''] = [objects.get(type, id), fileOfType.get(type)]
          if (known?.owed === true && !known.seen && known.digest !== undefined && !omitted.has(file, id))
            throw new Broken(
              `Record ${seen.seq} of ${seen.date} commits to ${type} ${id}, but data/${file}.ndjson and the omissions lack it.`,
            )
        }
      omitted.release()
    },
  }
}

const mostOthers = 5

/** Members of a bound row that neither the log nor the description of archives knows. */
const otherMembers = (row: Json): string[] => [
  ...membersBeyond(row, ['state', 'bound', 'values', 'shown', 'uncommitted', 'contentGone']),
  ...membersBeyond(member(row, 'bound') ?? null, ['type', 'id', 'revision', 'form', 'salt']),
]

type State = { type: string; id: string; revision: number; form: number; digest: Bytes | undefined }

/** The commitments of a record to objects that archives contain. */
function* statesIn({ record, seq }: SeenRecord): Generator<State> {
  const states = member(record, 'states')
  if (states === undefined) return
  const malformed = () => new Broken(`Record ${seq} has malformed commitments.`)
  if (!Array.isArray(states)) throw malformed()
  for (const state of states) {
    const [revision, form, digest] = ['revision', 'form', 'digest'].map((name) => member(state, name))
    const [type, id] = ['type', 'id'].map((name) => textMember(state, name, `Record ${seq}`)) as [string, string]
    if (typeof revision !== 'number' || !Number.isInteger(revision) || revision < 1 || revision > 0xffffffff)
      throw malformed()
    if (typeof form !== 'number' || !Number.isInteger(form) || form < 1 || form > mostForms) throw malformed()
    if (digest !== null && (typeof digest !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(digest))) throw malformed()
    if (!fileOfType.has(type)) continue
    yield { type, id, revision, form, digest: digest === null ? undefined : fromHex(digest.slice(7)) }
  }
}

function rowIsCommitted(row: Json, objects: Objects, { path, type }: { path: string; type: string }): void {
  const [state, bound] = [member(row, 'state') ?? null, member(row, 'bound')]
  const of = `A row of ${path}`
  const id = textMember(bound, 'id', of)
  const key = `${type} ${id}`
  if (textMember(bound, 'type', of) !== type || idOf(type, state) !== id)
    throw new Broken(`${path} has the row of another object under ${String(member(bound, 'type'))} ${id}.`)
  const committed = objects.get(type, id)
  if (committed === undefined) throw new Broken(`No record in the archive commits to ${key} in ${path}.`)
  if (committed.seen) throw new Broken(`${path} has ${key} twice.`)
  if (committed.digest === undefined) throw new Broken(`The log says that ${key} was removed, but ${path} has it.`)
  if (member(bound, 'revision') !== committed.revision)
    throw new Broken(
      `${path} has ${key} at revision ${String(member(bound, 'revision'))}; the log has ${committed.revision}.`,
    )
  if (member(bound, 'form') !== committed.form) throw new Broken(`${path} has ${key} in another form than the log.`)
  const salt = fromBase64Url(textMember(bound, 'salt', of))
  const digest = sha256OfText(canonical(state), concat(stateDomain, salt))
  if (salt.length !== 32 || !sameBytes(digest, committed.digest))
    throw new Broken(`${key} in ${path} is not what the log commits to.`)
  valuesAreCommitted(row, state, `${key} in ${path}`)
  objects.set(type, id, { ...committed, seen: true })
}

/** Each value that the row opens is the one in the state. */
function valuesAreCommitted(row: Json, state: Json, of: string): void {
  const values = member(row, 'values')
  if (values === undefined) return
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw new Broken(`${of} has malformed values.`)
  for (const [name, value] of Object.entries(values)) {
    const opened = sha256OfText(canonical([member(value, 'salt') ?? null, member(value, 'value') ?? null]))
    if (member(state, name) !== toBase64Url(opened))
      throw new Broken(`${name} of ${of} is not the value that the log commits to.`)
  }
}

export const fromBase64Url = (text: string) =>
  fromBase64(`${text.replaceAll('-', '+').replaceAll('_', '/')}${'='.repeat((4 - (text.length % 4)) % 4)}`)
