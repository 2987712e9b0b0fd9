import type { Archive } from './archive.ts'
import { Broken, type Json, member, parseJson } from './bytes.ts'
import type { SeenRecord } from './log.ts'

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
export function obligations() {
  const owed = new Map<string, Set<string>>()
  let count = 0
  return {
    add(seen: SeenRecord) {
      for (const { file, key } of owedBy(seen)) {
        const keys = owed.get(file) ?? new Set()
        count += keys.has(key) ? 0 : 1
        owed.set(file, keys.add(key))
      }
    },
    async check(archive: Archive): Promise<string> {
      const omitted = await omissionsOf(archive)
      let left = 0
      for (const [file, keys] of owed) {
        for await (const line of archive.linesIn(`data/${file}.ndjson`))
          keys.delete(keyOfRow(file, stateIn(parseJson(line, `A line of data/${file}.ndjson`))))
        for (const key of keys) {
          if (!omitted.has(`${file} ${key}`))
            throw new Broken(`The log says that ${key} was created, but data/${file}.ndjson and the omissions lack it.`)
          left += 1
        }
      }
      return `Each of the ${count} objects that the log says were created is here${left === 0 ? '' : `, or listed as left out (${left})`}.`
    },
  }
}

/** The members of a row, in both of its forms: plain, or bound to the log. */
export const stateIn = (row: Json): Json => (isBound(row) ? (member(row, 'state') ?? null) : row)
export const isBound = (row: Json): boolean => member(row, 'bound') !== undefined && member(row, 'state') !== undefined

/** What the archive lists as left out, as `<file> <id>`. */
export async function omissionsOf(archive: Archive): Promise<Set<string>> {
  const omitted = new Set<string>()
  for await (const line of archive.linesIn('data/omissions.ndjson')) {
    const one = parseJson(line, 'A line of data/omissions.ndjson')
    omitted.add(`${String(member(one, 'resource'))} ${String(member(one, 'id'))}`)
  }
  return omitted
}
