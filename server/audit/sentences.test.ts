import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { auditSentences } from '#lib/audit/sentences.ts'
import { ExportStatus } from '#lib/schemas/evidence.ts'
import { ExecutionStatus } from '#lib/schemas/executions.ts'

// Every action that the code can record has a sentence, so that a new one can't be forgotten. Actions are found in the text of the
// code: as the literal after `action:`, and as any literal that begins like an action.

const files = globSync('server/**/*.ts').filter((file) => !/\.test\.ts$|^server\/testing\//.test(file))
const code = files.map((file) => ({ file, text: readFileSync(file, 'utf8') }))

/** Actions made at run time, by the text of their template, with everything that it can become. */
const made: Record<string, readonly string[]> = {
  '`approval.${input.decision}`': ['approve', 'reject', 'escalate'].map((decision) => `approval.${decision}`),
  '`agent.${kind}`': ['suspended', 'resumed', 'retired'].map((kind) => `agent.${kind}`),
  '`agent.${action}_late`': ['canceled', 'cancel_unconfirmed', 'returned', 'failed'].map((one) => `agent.${one}_late`),
  '`execution.${status}`': ExecutionStatus.options
    .filter((status) => !['queued', 'waiting_approval', 'waiting_input'].includes(status))
    .map((status) => `execution.${status}`),
  '`evidence_export.${status}`': ExportStatus.options
    .filter((status) => status !== 'queued')
    .map((status) => `evidence_export.${status}`),
  '`${purpose}_key.created`': ['evidence_key.created', 'log_key.created'],
  '`${proposal.kind}.${action}`': ['policy_binding', 'release'].flatMap((kind) =>
    ['activated', 'superseded', 'rejected', 'withdrawn'].map((action) => `${kind}.${action}`),
  ),
  '`${kind}.read`': ['resource.read', 'prompt.read'],
  '`${callKind(tool)}.called`': ['agent.called', 'model.called', 'tool.called'],
  "`${callKind(call.tool)}.${result.ok ? 'returned' : 'failed'}_late`": ['agent', 'model', 'tool'].flatMap((kind) => [
    `${kind}.returned_late`,
    `${kind}.failed_late`,
  ]),
  '`mail.${delivery}`': ['delivered', 'failed', 'unknown'].map((outcome) => `mail.${outcome}`),
  '`notification.${delivery}`': ['failed', 'expired', 'unknown'].map((outcome) => `notification.${outcome}`),
  '`standing_grant.${actions[status]}`': ['activated', 'rejected', 'withdrawn'].map((one) => `standing_grant.${one}`),
  // Any of the others, which auditSentence() says as an attempt.
  '`${entry.action}.refused`': [],
}

/** Literals that look like actions, and are something else. */
const others: ReadonlySet<string> = new Set([
  // What a presentation of an approval proposes.
  'trace.unmask',
  'release.activate',
  'policy_binding.activate',
  'member.grant_roles',
  'member.reset_password',
  'group.set_members',
  'tenant.update_settings',
  // Entries of an execution's journal, and events of notifications.
  'agent.canceled',
  'agent.cancel_unconfirmed',
  'approval.decided',
  'execution.parked',
  'execution.resumed',
  // A column.
  'resource.sealed',
])

test('each action of the code has a sentence', () => {
  const subjects = new Set(Object.keys(auditSentences).map((action) => action.split('.')[0] ?? ''))
  const missing: string[] = []
  for (const { file, text } of code) {
    for (const [, action = ''] of text.matchAll(/\baction: '([a-z_]+\.[a-z_.]+)'/g))
      if (!Object.hasOwn(auditSentences, action) && !others.has(action)) missing.push(`${file}: ${action}`)
    for (const [, action = '', subject = ''] of text.matchAll(/'(([a-z_]+)\.[a-z_]+)'/g))
      if (subjects.has(subject) && isPast(action) && !Object.hasOwn(auditSentences, action) && !others.has(action))
        missing.push(`${file}: ${action}`)
  }
  expect(missing).toEqual([])
})

/** Actions are named by what was done. Columns and operations, which also have a dot, are not. */
const isPast = (action: string): boolean => /(ed|begun|set|read|late)$/.test(action)

test('each action that is made at run time is listed, with a sentence for everything that it can become', () => {
  const found = code.flatMap(({ text }) =>
    [...text.matchAll(/\baction: (`[^`]*\$\{[^`]*`)/g)].map(([, template = '']) => template),
  )
  const ofRecords = found.filter((template) => !template.includes('/') && !/_interaction/.test(template))
  expect([...new Set(ofRecords)].sort()).toEqual(Object.keys(made).sort())
  expect(
    Object.values(made)
      .flat()
      .filter((action) => !Object.hasOwn(auditSentences, action)),
  ).toEqual([])
})

/** Actions that come from a variable, with everything that it can become. */
const variables: Record<string, readonly string[]> = {
  'returned.type': ['agent', 'model', 'tool'].flatMap((kind) =>
    ['returned', 'failed', 'refused'].map((outcome) => `${kind}.${outcome}`),
  ),
  openedAction: ['approval.opened'],
  closedAction: ['alarm.closed'],
  // What SCIM changed.
  'output.action': ['member.updated', 'member.suspended', 'member.resumed'],
  // What an approval is about, which is not an action of a record.
  'presentation.action': [],
  'row.presentation': [],
  'call.action': [],
  // Records that were read, and decisions of the policies.
  'row.type': [],
  'row.action': [],
}

test('each action that comes from a variable is listed, with a sentence for everything that it can become', () => {
  const found = code.flatMap(({ text }) =>
    [...text.matchAll(/\baction: (\w+\.\w+|\w+Action)\b(?!\()/g)].map(([, name = '']) => name),
  )
  const ofRecords = found.filter((name) => !/^[A-Z]|^z\./.test(name))
  expect([...new Set(ofRecords)].sort()).toEqual(Object.keys(variables).sort())
  expect(
    Object.values(variables)
      .flat()
      .filter((action) => !Object.hasOwn(auditSentences, action)),
  ).toEqual([])
})

test('a sentence names who acts, and each action has a subject and a verb', () => {
  for (const [action, sentences] of Object.entries(auditSentences)) {
    expect(action).toMatch(/^[a-z_]+\.[a-z_]+$/)
    for (const sentence of sentences) expect(sentence).toMatch(/^\{actor\} [^{}]+(\{object\}[^{}]*)?$/)
  }
})
