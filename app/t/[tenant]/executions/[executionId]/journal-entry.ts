import type { Status } from '#components/ui/status/status-shape.tsx'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { ExecutionEvent } from '#lib/schemas/executions.ts'

/** A journal event in words. */
export type JournalEntry = {
  /** What happened, as a sentence without its end. */
  title: string
  shape: Status
  /** Further words below it. */
  note?: string
  /** The request that it is about. */
  approvalId?: string
  /** What went in or came out, by name. */
  payloads: { name: string; value: JsonValue }[]
}

/** An event of a type that this page doesn't know is shown by its type and its data. */
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
    title: 'The execution began',
    shape: 'running',
    payloads: payload('Input', input),
  }),
  'policy.decided': ({ effect, rules }) => ({
    ...decision(text(effect)),
    ...(Array.isArray(rules) && rules.length > 0 ? { note: rules.map(ruleText).join('; ') } : {}),
  }),
  'approval.requested': ({ approvalId, group, quorum }) => ({
    title: `An approval was asked for, from ${text(group)}`,
    shape: 'waiting',
    note: quorum === 1 ? 'One person decides' : `${text(quorum)} people must agree`,
    approvalId: text(approvalId),
  }),
  'approval.decided': ({ approvalId, status }) => ({
    title: status === 'expired' ? 'Nobody decided in time' : `The request was ${text(status)}`,
    shape: status === 'approved' ? 'approved' : status === 'expired' ? 'expired' : 'rejected',
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
    note: 'It is not as it was released',
    payloads: payload('Difference', result),
  }),
  'tool.outcome_unknown': () => ({
    title: 'The server stopped during the call',
    shape: 'failed',
    note: 'Nobody knows whether the tool ran',
  }),
  'model.called': ({ tool, arguments: args, attempt }) => ({
    title: `${calledName(tool)} was asked${attempt === 1 ? '' : `, attempt ${text(attempt)}`}`,
    shape: 'running',
    payloads: payload('Size of the question', args),
  }),
  'model.returned': ({ tool, result }) => ({
    title: `${calledName(tool)} answered`,
    shape: 'approved',
    payloads: payload('Answer', result),
  }),
  'model.failed': ({ tool, result }) => ({
    title: `${calledName(tool)} gave no answer`,
    shape: 'failed',
    payloads: payload('Answer', result),
  }),
  'model.outcome_unknown': () => ({
    title: 'The model’s answer was lost',
    shape: 'failed',
    note: 'It counts with what was reserved for it',
  }),
  'agent.called': ({ arguments: args, attempt }) => ({
    title: `The agent’s own address was called${attempt === 1 ? '' : `, attempt ${text(attempt)}`}`,
    shape: 'running',
    payloads: payload('Message', args),
  }),
  'agent.working': ({ taskId }) => ({
    title: 'The agent works on it',
    shape: 'running',
    note: `As its task ${text(taskId)}`,
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
    title: 'The agent did not say that it ended its task',
    shape: 'failed',
    note: `The task is ${text(taskId)}`,
  }),
  'agent.outcome_unknown': () => ({
    title: 'The agent’s answer never came',
    shape: 'failed',
    note: 'Nobody knows what it did',
  }),
  'input.requested': ({ mode, inputs }) => ({
    title: askedFor(text(mode), inputNames(inputs)),
    shape: 'waiting',
    note: 'The tab Waits says until when, and what happens then',
  }),
  'input.applied': ({ output, receipts }) => ({
    title: `The execution went on with ${inputNames(receipts).join(', ') || 'the manifest’s default'}`,
    shape: 'approved',
    payloads: payload('Answer', output),
  }),
  'execution.stop_requested': () => ({
    title: 'A stop was asked for',
    shape: 'waiting',
    note: 'The reason stands in the audit log',
  }),
  'execution.parked': () => ({
    title: 'Parked: the agent was suspended',
    shape: 'waiting',
    note: 'Every deadline stands still',
  }),
  'execution.resumed': () => ({ title: 'The agent was resumed', shape: 'running' }),
  'step.skipped': () => ({ title: 'The step was skipped', shape: 'revoked', note: 'Its condition does not hold' }),
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
  if (names.length < 2) return `Input was asked for: ${names.join('')}`
  return mode === 'any'
    ? `One input of several was asked for: ${names.join(', ')}`
    : `Several inputs were asked for: ${names.join(', ')}`
}

/** Of a list of inputs (`name`) or of receipts (`input`). */
const inputNames = (list: JsonValue | undefined): string[] =>
  (Array.isArray(list) ? list : []).flatMap((entry) => (isJsonObject(entry) ? [text(entry.name ?? entry.input)] : []))

const payload = (name: string, value: JsonValue | undefined) => (value === undefined ? [] : [{ name, value }])

/** A call is named `<server>.<name>`; of a model the server says nothing. */
const calledName = (tool: JsonValue | undefined): string => text(tool).replace(/^model\./, '')

/** `<policy> v<version>: <rule>`; what is no stored policy (the manifest, the decision point itself) stands at version 0. */
const ruleText = (rule: JsonValue): string => text(rule).replace(/ v0: (?:manifest\.)?/, ': ')

const text = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? 'unknown' : JSON.stringify(value)
