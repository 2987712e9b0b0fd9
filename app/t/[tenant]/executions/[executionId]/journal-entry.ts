import * as t from '#components/texts/execution-journal/en.ts'
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
  return { title: type, shape: 'pending', payloads: isEmpty ? [] : [{ name: t.data, value: data }] }
}

type Described = Omit<JournalEntry, 'payloads'> & { payloads?: JournalEntry['payloads'] }

const DESCRIBED: Record<string, (data: JsonObject) => Described> = {
  'execution.running': ({ input }) => ({
    title: t.executionStarted,
    shape: 'running',
    payloads: payload(t.input, input),
  }),
  'policy.decided': ({ effect, rules }) => ({
    ...decision(text(effect)),
    ...(Array.isArray(rules) && rules.length > 0 ? { note: rules.map(ruleText).join('; ') } : {}),
  }),
  'approval.requested': ({ approvalId, group, quorum, later }) => ({
    title: t.approvalWasRequestedFrom({ group: text(group), later: text(later), only: String(later === undefined) }),
    shape: 'waiting',
    note: quorum === 1 ? t.onePersonDecides : t.peopleMustApprove({ quorum: text(quorum) }),
    approvalId: text(approvalId),
  }),
  'approval.decided': ({ approvalId, status }) => ({
    title: status === 'expired' ? t.noOne : t.requestWas({ status: text(status) }),
    shape: status === 'approved' ? 'approved' : status === 'expired' ? 'expired' : 'rejected',
    approvalId: text(approvalId),
  }),
  'standing_grant.used': ({ approvalId, number, of }) => ({
    title: t.standingGrantTookPlace,
    shape: 'approved',
    note: t.grantUse({ number: text(number), of: text(of) }),
    approvalId: text(approvalId),
  }),
  'tool.called': ({ tool, arguments: args, attempt }) => ({
    title: t.wasCalledAttempt({ tool: text(tool), again: String(attempt !== 1), attempt: text(attempt) }),
    shape: 'running',
    payloads: payload(t.argumentsText, args),
  }),
  'tool.returned': ({ tool, result }) => ({
    title: t.answered({ tool: text(tool) }),
    shape: 'approved',
    payloads: payload(t.result, result),
  }),
  'tool.failed': ({ tool, result }) => ({
    title: t.failed({ tool: text(tool) }),
    shape: 'failed',
    payloads: payload(t.answer, result),
  }),
  'tool.refused': ({ tool, result }) => ({
    title: t.wasNotCalled({ tool: text(tool) }),
    shape: 'revoked',
    note: t.toolDiffersFromIts,
    payloads: payload(t.difference, result),
  }),
  'tool.outcome_unknown': ({ reason }) => ({
    title: reason === undefined ? t.serverStoppedDuringCall : t.callHasNoResult,
    shape: 'failed',
    note: reason === undefined ? t.itIs : t.itIsUnknownBecause({ reason: text(reason) }),
  }),
  'model.called': ({ tool, arguments: args, attempt }) => ({
    title: t.wasCalledAttempt({ tool: calledName(tool), again: String(attempt !== 1), attempt: text(attempt) }),
    shape: 'running',
    payloads: payload(t.sizeOfPrompt, args),
  }),
  'model.returned': ({ tool, result }) => ({
    title: t.answered({ tool: calledName(tool) }),
    shape: 'approved',
    payloads: payload(t.answer, result),
  }),
  'model.failed': ({ tool, result }) => ({
    title: t.didNotAnswer({ tool: calledName(tool) }),
    shape: 'failed',
    payloads: payload(t.answer, result),
  }),
  'model.outcome_unknown': () => ({
    title: t.modelsAnswerWasLost,
    shape: 'failed',
    note: t.reservedBudgetCountsAs,
  }),
  'agent.called': ({ arguments: args, attempt }) => ({
    title: t.externalAgentWasCalled({ again: String(attempt !== 1), attempt: text(attempt) }),
    shape: 'running',
    payloads: payload(t.message, args),
  }),
  'agent.working': ({ taskId }) => ({
    title: t.agentIsWorking,
    shape: 'running',
    note: t.itsTaskIs({ taskId: text(taskId) }),
  }),
  'agent.returned': ({ result }) => ({
    title: t.agentAnswered,
    shape: 'approved',
    payloads: payload(t.answer, result),
  }),
  'agent.failed': ({ result }) => ({
    title: t.agentFailed,
    shape: 'failed',
    payloads: payload(t.answer, result),
  }),
  'agent.canceled': ({ taskId }) => ({
    title: t.agentEndedItsTask,
    shape: 'revoked',
    note: t.taskWas({ taskId: text(taskId) }),
  }),
  'agent.cancel_unconfirmed': ({ taskId }) => ({
    title: t.agentDidNotConfirm,
    shape: 'failed',
    note: t.taskIs({ taskId: text(taskId) }),
  }),
  'agent.outcome_unknown': () => ({
    title: t.agentDidNotAnswer,
    shape: 'failed',
    note: t.itIsUnknownWhat,
  }),
  'input.requested': ({ mode, inputs }) => ({
    title: askedFor(text(mode), inputNames(inputs)),
    shape: 'waiting',
    note: t.waitsTabShowsDeadline,
  }),
  'input.applied': ({ output, receipts }) => ({
    title: t.continuedWith({ inputs: inputNames(receipts).join(', ') || t.manifestsDefault }),
    shape: 'approved',
    payloads: payload(t.answer, output),
  }),
  'execution.stop_requested': () => ({
    title: t.stopWasRequested,
    shape: 'waiting',
    note: t.auditLogContainsReason,
  }),
  'execution.parked': () => ({
    title: t.parkedAgentWasSuspended,
    shape: 'waiting',
    note: t.allDeadlinesArePaused,
  }),
  'execution.resumed': () => ({ title: t.agentWasResumed, shape: 'running' }),
  'step.skipped': () => ({ title: t.stepWasSkipped, shape: 'revoked', note: t.itsConditionIsNot }),
  'execution.succeeded': ({ output }) => ({
    title: t.executionSucceeded,
    shape: 'approved',
    payloads: payload(t.output, output),
  }),
  'execution.failed': ending(t.endFailed, 'failed'),
  'execution.denied': ending(t.endDenied, 'revoked'),
  'execution.rejected': ending(t.endRejected, 'rejected'),
  'execution.expired': ending(t.endExpired, 'expired'),
  'execution.timed_out': ending(t.endTimedOut, 'expired'),
  'execution.canceled': ending(t.endCanceled, 'revoked'),
  'execution.indeterminate': ending(t.endUnknown, 'failed'),
}

function ending(title: string, shape: Status): (data: JsonObject) => Described {
  return ({ error }) => ({
    title,
    shape,
    ...(isJsonObject(error) && typeof error.message === 'string' ? { note: error.message } : {}),
  })
}

function decision(effect: string): { title: string; shape: Status } {
  switch (effect) {
    case 'allow':
      return { title: t.policyAllowedCall, shape: 'approved' }
    case 'deny':
      return { title: t.policyDeniedCall, shape: 'revoked' }
    case 'require_approval':
      return { title: t.policyRequiresApprovalFor, shape: 'waiting' }
    default:
      return { title: t.policyDecided({ effect }), shape: 'pending' }
  }
}

function askedFor(mode: string, names: string[]): string {
  if (names.length < 2) return t.inputWasRequested({ inputs: names.join('') })
  return mode === 'any'
    ? t.oneOfSeveralInputs({ inputs: names.join(', ') })
    : t.severalInputsWereRequested({ inputs: names.join(', ') })
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
