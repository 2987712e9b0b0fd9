import { formatNumber } from '#components/language/formats.ts'
import * as t from '#components/texts/evidence/en.ts'

/** What the kinds of records in an archive are called, one and many. */
const words: Readonly<Record<string, readonly [one: string, many: string]>> = {
  agents: [t.agentWord, t.agentsWord],
  'agent-versions': [t.versionOfAgent, t.versionsOfAgents],
  releases: [t.releaseWord, t.releasesWord],
  policies: [t.policyVersion, t.policyVersions],
  'policy-bindings': [t.policyBinding, t.policyBindings],
  members: [t.memberWord, t.membersWord],
  executions: [t.executionWord, t.executionsWord],
  'execution-events': [t.eventOfExecution, t.eventsOfExecutions],
  'execution-steps': [t.stepOfExecution, t.stepsOfExecutions],
  'input-events': [t.inputToExecution, t.inputsToExecutions],
  'input-waits': [t.waitForInput, t.waitsForInputs],
  'input-resolutions': [t.answerToWait, t.answersToWaits],
  files: [t.fileWord, t.filesWord],
  approvals: [t.approvalWord, t.approvalsWord],
  'approval-questions': [t.questionAboutApproval, t.questionsAboutApprovals],
  'approval-revisions': [t.requestForChanges, t.requestsForChanges],
  'approval-terms': [t.listOfApprovalsStages, t.listsOfApprovalsStages],
  'approval-votes': [t.voteWord, t.votesWord],
  'standing-grants': [t.standingGrant, t.standingGrants],
  'standing-grant-uses': [t.callByStandingGrant, t.callsByStandingGrants],
  decisions: [t.policyDecision, t.policyDecisions],
  traces: [t.traceWord, t.tracesWord],
  spans: [t.spanWord, t.spansWord],
  resources: [t.descriptionOfProgramThat, t.descriptionsOfProgramsThat],
  audit: [t.recordOfLog, t.recordsOfLog],
}

/** A kind in the plural; one that is not known as its code reads. */
export const kindWords = (kind: string): string => words[kind]?.[1] ?? kind.replaceAll('-', ' ')

/** The word for this many: `file`, `files`. */
export const nameOfKind = (count: number, kind: string): string =>
  (count === 1 ? words[kind]?.[0] : undefined) ?? kindWords(kind)

/** `7 files`. */
export const countOfKind = (count: number, kind: string): string => `${formatNumber(count)} ${nameOfKind(count, kind)}`
