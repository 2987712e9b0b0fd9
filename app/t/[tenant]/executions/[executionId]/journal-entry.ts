import type { Status } from '#components/ui/status/status-shape.tsx'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { ExecutionEvent } from '#lib/schemas/executions.ts'

/** A journal event in words. */
export type JournalEntry = {
  /** What happened, as a sentence without a full stop. */
  title: string
  shape: Status
  /** A note below the title. */
  note?: string
  /** The approval that the event refers to. */
  approvalId?: string
  /** Named inputs and outputs. */
  payloads: { name: string; value: JsonValue }[]
}

/** Describes an event. An event of an unknown type is shown with its type and data. */
export function journalEntry({ type, data }: Pick<ExecutionEvent, 'type' | 'data'>): JournalEntry {
  const fields = isJsonObject(data) ? data : {}
  const describe = Object.hasOwn(DESCRIBED, type) ? DESCRIBED[type] : undefined
  if (describe !== undefined) return { payloads: [], ...describe(fields) }
  const isEmpty = isJsonObject(data) && Object.keys(data).length === 0
  return { title: type, shape: 'pending', payloads: isEmpty ? [] : [{ name: 'Data', value: data }] }
}

type Described = Omit<JournalEntry, 'payloads'> & { payloads?: JournalEntry['payloads'] }

const DESCRIBED: Record<string, (data: JsonObject) => Described> = {
  'execution.running': ({ input }) => ({
    title: 'The execution started',
    shape: 'running',
    payloads: payload('Input', input),
  }),
  'policy.decided': ({ effect, rules }) => ({
    ...decision(text(effect)),
    ...(Array.isArray(rules) && rules.length > 0 ? { note: rules.map(ruleText).join('; ') } : {}),
  }),
  'approval.requested': ({ approvalId, group, quorum, later }) => ({
    title: `An approval was requested from ${text(group)}${later === undefined ? '' : `, and then ${text(later)}`}`,
    shape: 'waiting',
    note: quorum === 1 ? 'One person decides' : `${text(quorum)} people must approve`,
    approvalId: text(approvalId),
  }),
  'approval.decided': ({ approvalId, status }) => ({
    title: status === 'expired' ? 'No one decided in time' : `The request was ${text(status)}`,
    shape: status === 'approved' ? 'approved' : status === 'expired' ? 'expired' : 'rejected',
    approvalId: text(approvalId),
  }),
  'standing_grant.used': ({ approvalId, number, of }) => ({
    title: 'A standing grant took the place of a decision',
    shape: 'approved',
    note: `Use ${text(number)} of ${text(of)}`,
    approvalId: text(approvalId),
  }),
  'tool.called': ({ tool, arguments: args, attempt }) => ({
    title: `${text(tool)} was called${attempt === 1 ? '' : `, attempt ${text(attempt)}`}`,
    shape: 'running',
    payloads: payload('Arguments', args),
  }),
  'tool.returned': ({ tool, result }) => ({
    title: `${text(tool)} answered`,
    shape: 'approved',
    payloads: payload('Result', result),
  }),
  'tool.failed': ({ tool, result }) => ({
    title: `${text(tool)} failed`,
    shape: 'failed',
    payloads: payload('Answer', result),
  }),
  'tool.refused': ({ tool, result }) => ({
    title: `${text(tool)} was not called`,
    shape: 'revoked',
    note: 'The tool differs from its released version',
    payloads: payload('Difference', result),
  }),
  'tool.outcome_unknown': () => ({
    title: 'The server stopped during the call',
    shape: 'failed',
    note: 'It is unknown whether the tool ran',
  }),
  'model.called': ({ tool, arguments: args, attempt }) => ({
    title: `${calledName(tool)} was called${attempt === 1 ? '' : `, attempt ${text(attempt)}`}`,
    shape: 'running',
    payloads: payload('Size of the prompt', args),
  }),
  'model.returned': ({ tool, result }) => ({
    title: `${calledName(tool)} answered`,
    shape: 'approved',
    payloads: payload('Answer', result),
  }),
  'model.failed': ({ tool, result }) => ({
    title: `${calledName(tool)} did not answer`,
    shape: 'failed',
    payloads: payload('Answer', result),
  }),
  'model.outcome_unknown': () => ({
    title: 'The model’s answer was lost',
    shape: 'failed',
    note: 'The reserved budget counts as spent',
  }),
  'agent.called': ({ arguments: args, attempt }) => ({
    title: `The external agent was called${attempt === 1 ? '' : `, attempt ${text(attempt)}`}`,
    shape: 'running',
    payloads: payload('Message', args),
  }),
  'agent.working': ({ taskId }) => ({
    title: 'The agent is working',
    shape: 'running',
    note: `Its task is ${text(taskId)}`,
  }),
  'agent.returned': ({ result }) => ({
    title: 'The agent answered',
    shape: 'approved',
    payloads: payload('Answer', result),
  }),
  'agent.failed': ({ result }) => ({
    title: 'The agent failed',
    shape: 'failed',
    payloads: payload('Answer', result),
  }),
  'agent.canceled': ({ taskId }) => ({
    title: 'The agent ended its task',
    shape: 'revoked',
    note: `The task was ${text(taskId)}`,
  }),
  'agent.cancel_unconfirmed': ({ taskId }) => ({
    title: 'The agent did not confirm that it ended its task',
    shape: 'failed',
    note: `The task is ${text(taskId)}`,
  }),
  'agent.outcome_unknown': () => ({
    title: 'The agent did not answer',
    shape: 'failed',
    note: 'It is unknown what the agent did',
  }),
  'input.requested': ({ mode, inputs }) => ({
    title: askedFor(text(mode), inputNames(inputs)),
    shape: 'waiting',
    note: 'The Waits tab shows the deadline and what happens then',
  }),
  'input.applied': ({ output, receipts }) => ({
    title: `The execution continued with ${inputNames(receipts).join(', ') || 'the manifest’s default'}`,
    shape: 'approved',
    payloads: payload('Answer', output),
  }),
  'execution.stop_requested': () => ({
    title: 'A stop was requested',
    shape: 'waiting',
    note: 'The audit log contains the reason',
  }),
  'execution.parked': () => ({
    title: 'Parked: the agent was suspended',
    shape: 'waiting',
    note: 'All deadlines are paused',
  }),
  'execution.resumed': () => ({ title: 'The agent was resumed', shape: 'running' }),
  'step.skipped': () => ({ title: 'The step was skipped', shape: 'revoked', note: 'Its condition is not met' }),
  'execution.succeeded': ({ output }) => ({
    title: 'The execution succeeded',
    shape: 'approved',
    payloads: payload('Output', output),
  }),
  'execution.failed': ending('failed', 'failed'),
  'execution.denied': ending('was denied', 'revoked'),
  'execution.rejected': ending('was rejected', 'rejected'),
  'execution.expired': ending('expired', 'expired'),
  'execution.timed_out': ending('timed out', 'expired'),
  'execution.canceled': ending('was canceled', 'revoked'),
  'execution.indeterminate': ending('ended with an unknown outcome', 'failed'),
}

function ending(what: string, shape: Status): (data: JsonObject) => Described {
  return ({ error }) => ({
    title: `The execution ${what}`,
    shape,
    ...(isJsonObject(error) && typeof error.message === 'string' ? { note: error.message } : {}),
  })
}

function decision(effect: string): { title: string; shape: Status } {
  switch (effect) {
    case 'allow':
      return { title: 'Policy allowed the call', shape: 'approved' }
    case 'deny':
      return { title: 'Policy denied the call', shape: 'revoked' }
    case 'require_approval':
      return { title: 'Policy requires an approval for the call', shape: 'waiting' }
    default:
      return { title: `Policy decided: ${effect}`, shape: 'pending' }
  }
}

function askedFor(mode: string, names: string[]): string {
  if (names.length < 2) return `Input was requested: ${names.join('')}`
  return mode === 'any'
    ? `One of several inputs was requested: ${names.join(', ')}`
    : `Several inputs were requested: ${names.join(', ')}`
}

/** Returns the names in a list of inputs (`name`) or of receipts (`input`). */
const inputNames = (list: JsonValue | undefined): string[] =>
  (Array.isArray(list) ? list : []).flatMap((entry) => (isJsonObject(entry) ? [text(entry.name ?? entry.input)] : []))

const payload = (name: string, value: JsonValue | undefined) => (value === undefined ? [] : [{ name, value }])

/** Calls are named `<server>.<name>`. For a model, the server is always `model` and is left out. */
const calledName = (tool: JsonValue | undefined): string => text(tool).replace(/^model\./, '')

/** Rules are named `<policy> v<version>: <rule>`. Version 0 marks rules without a stored policy, such as the manifest's. */
const ruleText = (rule: JsonValue): string => text(rule).replace(/ v0: (?:manifest\.)?/, ': ')

const text = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? 'unknown' : JSON.stringify(value)
