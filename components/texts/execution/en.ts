import { text } from '#components/language/text.ts'

// One execution.

export const cancelExecution = text('Cancel the execution')
export const cancelingExecution = text('Canceling the execution…')
export const keepRunning = text('Keep running')
export const cancelThisExecution = text('Cancel this execution?')
export const stopWasAlreadyRequested = text('A stop was already requested.')
export const stopOfExecutionWas = text('A stop of the execution was requested.')
export const executionWasNotCanceled = text('The execution was not canceled.')
export const noFurtherCallsAre = text(
  'No further calls are made. A call in progress is abandoned. If its effect is unknown, the execution ends with an unknown outcome instead of canceled. It can’t be resumed.',
)
export const approvalRequestIsWithdrawn = text(
  'The approval request is withdrawn, and the call is not made. The execution ends immediately and can’t be resumed.',
)
export const itsWaitsAreClosed = text(
  'Its waits are closed, and later input is not accepted. The execution ends immediately and can’t be resumed.',
)
export const executionEndsBeforeIt = text('The execution ends before it has started. No calls are made.')
export const votes = text('Votes')
export const decidedBy = text(
  '{decision, select, approve {Approved} reject {Rejected} other {Escalated}} by <strong><shown>{by}</shown></strong>{delegate, select, true { as the delegate of <shown>{delegator}</shown>} other {}}: <q>{reason}</q>',
)
export const toolCallFailedSo = text('A tool call failed, so the execution stopped.')
export const executionFailed = text('The execution failed.')
export const checkLastEntriesOf = text(
  'Check the last entries of the journal, fix the cause, then start a new execution.',
)
export const executionWasDeniedCall = text('The execution was denied: a call was not permitted.')
export const callWasNotMade = text('{why} The call was not made. {done}')
export const reviewerRejectedCallSo = text('A reviewer rejected the call, so the execution stopped.')
export const toolWasNotCalled = text('The tool was not called. {done}')
export const approvalContainsReasonJournal = text('The approval contains the reason. The journal links to it.')
export const noOneDecidedIn = text('No one decided in time, which counts as rejection.')
export const startNewExecutionWhen = text('Start a new execution when a reviewer is available.')
export const executionTookLongerThan = text('The execution took longer than its manifest allows.')
export const startNewExecutionOr = text(
  'Start a new execution, or give the agent more time in its manifest (limits.timeout).',
)
export const executionWasCanceled = text('The execution was canceled.')
export const startNewOneIf = text('Start a new one if it is still needed.')
export const itIsUnknownWhether = text('It is unknown whether the last call took effect.')
export const itWasNotRepeated = text('{why} It was not repeated, because repeating it could do it twice. {done}')
export const checkToolsOwnSystem = text('Check the tool’s own system before you start another execution.')
export const noToolCallWas = text('No tool call was completed.')
export const oneToolCallWas = text('One tool call was completed earlier.')
export const toolCallsWereCompleted = text('{done} tool calls were completed earlier.')
export const policyRequiresApprovalThat = text(
  'The policy requires an approval that no one can give. Add a member to the approver group who is neither the requester nor an owner of the agent.',
)
export const callDifferedFromApproved = text('The call differed from the approved one. Start a new execution.')
export const askOperatorToResume = text('Ask an operator to resume the agent, then start a new execution.')
export const releaseAgentAgainFor = text('Release the agent again for this environment, then start a new execution.')
export const journalListsPolicyRules = text(
  'The journal lists the policy rules. To permit the call, change its policy and have the change approved.',
)
export const execution = text('Execution')
export const executionId = text('execution ID')
export const trace = text('Trace')
export const seeExecutions = text('see executions')
export const executions = text('Executions')
export const loadingExecution = text('Loading the execution…')
export const theExecution = text('The execution')
export const viewsOfExecution = text('Views of the execution')
export const timeline = text('Timeline')
export const inputs = text('Inputs')
export const waits = text('Waits')
export const evidence = text('Evidence')
export const agentIn = text(
  'Agent <link><shown>{agentDisplayName}</shown></link> <shown>{agentVersion}</shown> in {environment}',
)
export const startedByTime = text('Started by <strong><shown>{startedBy}</shown></strong> <at>time</at>')
export const runningFor = text('Running for')
export const took = text('Took')
export const approvedOrRejectedBy = text(
  '{status, select, approved {Approved} other {Rejected}} by <link><shown>{by}</shown></link>',
)
export const input = text('Input')
export const output = text('Output')
export const openRequest = text('Open the request')
export const notStarted = text('Not started')
export const decided = text('Decided')
export const waitingForApproval = text('Waiting for approval')
export const waitingForInput = text('Waiting for input')
export const approvedNotCalledYet = text('Approved, not called yet')
export const calling = text('Calling…')
export const done = text('Done')
export const failed = text('Failed')
export const skipped = text('Skipped')
export const notCarriedOut = text('Not carried out')
export const outcomeUnknown = text('Outcome unknown')
export const toolCall = text('Tool call')
export const waitForInput = text('Wait for input')
export const modelCall = text('Model call')
export const thisAgentDoesNot = text('This agent does not have fixed steps.')
export const itsCallsAppearIn = text('Its calls appear in the journal as it makes them.')
export const no = text('No.')
export const step = text('Step')
export const whatItDoes = text('What it does')
export const state = text('State')
export const duration = text('Duration')
export const approval = text('Approval')
export const openRequestOfStep = text('Open<hidden> the request of step {id}</hidden>')
export const steps = text('Steps')
export const journal = text('Journal')
export const times = text('Times')
export const stopWasRequestedTime = text(
  'A stop was requested <at>time</at>. It is not confirmed yet: a call may still be in progress.',
)
export const agentIsSuspendedExecution = text(
  'The agent is suspended. The execution has been parked since <at>time</at>, with its deadlines stopped, until the agent is resumed.',
)
export const openWaits = text('Open the waits')
export const executionIsWaitingFor = text(
  'The execution is waiting for external input. No step runs until it arrives, and the wait survives a restart of the server.',
)
export const theExecutionIs = text(
  'The execution is waiting for a person’s decision. No step runs until then, and the wait survives a restart of the server.',
)
export const timesIn = text('Times in {zone}')
export const requested = text('Requested')
export const started = text('Started')
export const notYet = text('Not yet')
export const stopRequested = text('Stop requested')
export const stopConfirmed = text('Stop confirmed')
export const mustEndBy = text('Must end by')
export const pausedWhileItWaits = text('Paused while it waits for people')
export const noLimit = text('No limit')
export const ended = text('Ended')
export const endedAfter = text('<at>time</at>, after {duration}')
