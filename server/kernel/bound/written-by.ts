import { type BoundType, boundTypes } from './types.ts'

const byTable = new Map(boundTypes.map((one) => [one.table, one]))

/** Writes of these tables can end standing grants: the trigger `lapse_grants`. */
const groundsOfGrants: readonly string[] = [
  'agents',
  'approver_group_members',
  'group_mappings',
  'mapped_members',
  'members',
  'policy_bindings',
  'releases',
]

/** The bound tables that functions of the database write (migrations 0110, 0115, 0116 and 0119). */
const writtenByFunctions: Readonly<Record<string, readonly string[]>> = {
  accept_event: ['input_events'],
  begin_call: ['execution_events', 'execution_steps', 'executions', 'policy_decisions', 'spans'],
  begin_known_call: ['execution_events', 'execution_steps', 'executions', 'policy_decisions', 'spans'],
  change_execution: ['execution_events', 'executions'],
  change_execution_at: ['execution_events', 'executions'],
  decide_approval: ['approval_votes', 'approvals'],
  end_call: ['execution_events', 'execution_steps', 'executions', 'spans'],
  end_known_call: ['execution_events', 'execution_steps', 'executions', 'spans'],
  end_spans: ['spans'],
  keep_step: ['execution_steps'],
  keep_step_at: ['execution_steps'],
  record_decision: ['policy_decisions'],
  record_decision_at: ['policy_decisions'],
  start_execution: ['executions'],
  start_spans: ['spans'],
}

/** The bound tables that a statement may write, by its text. Some are also written inside the database. */
export function writtenBy(text: string): readonly BoundType[] {
  const found = new Set<BoundType>()
  for (const [, name = ''] of text.matchAll(/\b(?:insert into|update|delete from|merge into)\s+"?(\w+)"?/gi)) {
    const bound = byTable.get(name)
    if (bound !== undefined) found.add(bound)
  }
  for (const [, name = ''] of text.matchAll(/\b(\w+)\(/g))
    for (const table of writtenByFunctions[name] ?? []) found.add(boundTable(table))
  const grants = byTable.get('standing_grants')
  if (grants !== undefined && groundsOfGrants.some((table) => found.has(boundTable(table)))) found.add(grants)
  const holds = byTable.get('legal_holds')
  if (holds !== undefined && /\brelease_hold\(/.test(text)) found.add(holds)
  return [...found]
}

function boundTable(table: string): BoundType {
  const bound = byTable.get(table)
  if (bound === undefined) throw new Error(`The table ${table} is not bound to the log.`)
  return bound
}
