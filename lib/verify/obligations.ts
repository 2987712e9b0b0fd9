import type { Archive } from './archive.ts'
import { Broken, type Json, member, parseLine, textMember } from './bytes.ts'
import { readRow, type SeenRecord } from './log.ts'
import { noDigest, type Objects, objectTable, type Room } from './objects.ts'

// Nothing is missing silently: each record that creates an object obliges the archive to have its row, or an omission for it.

/** A row that a record demands: the file below data/, and the key by which the row is found there. */
type Owed = { file: string; key: string }

type Rule = { file: string; keys: (seen: SeenRecord) => Json[] }

const resourceOf = (type: string) => (seen: SeenRecord) => {
  const resource = member(seen.record, 'resource')
  return member(resource, 'type') === type ? [member(resource, 'id') ?? null] : []
}
const detailOf = ({ record }: SeenRecord, name: string): Json | undefined => member(member(record, 'details'), name)

/** By action. Actions that create nothing, or something that archives don't contain, are not listed. */
const rules = new Map<string, Rule>([
  ['member.created', { file: 'members', keys: resourceOf('member') }],
  ['member.invited', { file: 'members', keys: resourceOf('member') }],
  ['agent.registered', { file: 'agents', keys: resourceOf('agent') }],
  ['release.proposed', { file: 'releases', keys: resourceOf('release') }],
  ['policy_binding.proposed', { file: 'policy-bindings', keys: resourceOf('policy_binding') }],
  [
    'policy_version.published',
    {
      file: 'policies',
      keys: (seen) => resourceOf('policy')(seen).map((id) => `${String(id)} ${String(detailOf(seen, 'version'))}`),
    },
  ],
  ['execution.started', { file: 'executions', keys: resourceOf('execution') }],
  ['input.submitted', { file: 'input-events', keys: resourceOf('input_event') }],
  [
    'input.requested',
    {
      file: 'input-waits',
      keys: (seen) => {
        const waits = detailOf(seen, 'waits')
        return Array.isArray(waits) ? waits.map((wait) => member(wait, 'waitId') ?? null) : []
      },
    },
  ],
  ['file.stored', { file: 'files', keys: resourceOf('file') }],
  ['approval.requested', { file: 'approvals', keys: resourceOf('approval') }],
  ['approval.approve', { file: 'approval-votes', keys: ({ auditId }) => [auditId] }],
  ['approval.reject', { file: 'approval-votes', keys: ({ auditId }) => [auditId] }],
  ['policy.evaluated', { file: 'decisions', keys: resourceOf('policy_decision') }],
  ['policy.approval_requested', { file: 'decisions', keys: resourceOf('policy_decision') }],
])

/** The rows that a record demands. */
export function owedBy(seen: SeenRecord): Owed[] {
  const rule = rules.get(String(member(seen.record, 'action')))
  if (rule === undefined) return []
  return rule.keys(seen).flatMap((key) => (typeof key === 'string' ? [{ file: rule.file, key }] : []))
}

/** The key of a row in its file, as `owedBy` names it. */
export function keyOfRow(file: string, row: Json): string {
  if (file === 'policies') return `${String(member(row, 'policyId'))} ${String(member(row, 'version'))}`
  return String(member(row, file === 'approval-votes' ? 'auditId' : 'id'))
}

/** Collects what the records demand, and then finds it in the archive. */
export function obligations(room: Room) {
  const owed = objectTable(room)
  const files = new Set<string>()
  let count = 0
  return {
    add(seen: SeenRecord) {
      for (const { file, key } of owedBy(seen)) {
        if (owed.get(file, key) !== undefined) continue
        owed.set(file, key, { revision: 1, form: 1, digest: noDigest, owed: true, seen: false })
        files.add(file)
        count += 1
      }
    },
    async check(archive: Archive): Promise<string> {
      for (const file of files)
        for await (const line of archive.linesIn(`data/${file}.ndjson`)) {
          const key = keyOfRow(file, stateIn(parseLine(line, `A line of data/${file}.ndjson`)))
          const known = owed.get(file, key)
          if (known !== undefined && !known.seen) owed.set(file, key, { ...known, seen: true })
        }
      const left = owed.missing()
      if (left > 0) await checkOmitted(archive, owed, room)
      return `${count === 1 ? 'The only object that the log says was' : `Each of the ${count} objects that the log says were`} created is here${left === 0 ? '' : `, or listed as left out (${left})`}.`
    },
  }
}

/** The record that demands an object is read again: a table does not contain names. Broken for one that is neither here nor listed. */
async function checkOmitted(archive: Archive, owed: Objects, room: Room): Promise<void> {
  const omitted = await omissionsOf(archive, room)
  for await (const seen of recordsIn(archive))
    for (const { file, key } of owedBy(seen))
      if (owed.get(file, key)?.seen === false && !omitted.has(file, key))
        throw new Broken(`The log says that ${key} was created, but data/${file}.ndjson and the omissions lack it.`)
  omitted.release()
}

/** Each record of the archive's log again. */
export async function* recordsIn(archive: Archive): AsyncGenerator<SeenRecord> {
  for (const path of archive.paths()) {
    if (!/^data\/audit\/[^/]*\.ndjson$/.test(path)) continue
    for await (const line of archive.linesIn(path)) {
      const row = readRow(line, path)
      yield { ...row, date: textMember(row.leaf, 'date', `Record ${row.seq}`) }
    }
  }
}

/** The members of a row, in both of its forms: plain, or bound to the log. */
export const stateIn = (row: Json): Json => (isBound(row) ? (member(row, 'state') ?? null) : row)
export const isBound = (row: Json): boolean => member(row, 'bound') !== undefined && member(row, 'state') !== undefined

/** What the archive lists as left out. */
export async function omissionsOf(archive: Archive, room: Room) {
  const omitted = objectTable(room)
  for await (const line of archive.linesIn('data/omissions.ndjson')) {
    const one = parseLine(line, 'A line of data/omissions.ndjson')
    const [resource, id] = [String(member(one, 'resource')), String(member(one, 'id'))]
    omitted.set(resource, id, { revision: 1, form: 1, digest: noDigest, owed: false, seen: false })
  }
  return {
    has: (resource: string, id: string): boolean => omitted.get(resource, id) !== undefined,
    release: omitted.release,
  }
}
