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
export const toolReportedFailureSo = text('A tool reported a failure, so the execution stopped.')
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
export const relatedObjects = text('Related objects')
export const auditRecords = text('Audit records')
export const seeAuditLog = text('see the audit log')
export const evidenceExport = text('Evidence export')
export const evidenceExportContainsExecutions = text(
  'An evidence export contains the executions, decisions, traces and audit records of a period with their proofs, in one archive that can be verified without this server. This execution was requested on <at>time</at>; choose a period that includes that day.',
)
export const exportEvidence = text('Export evidence')
export const execution = text('Execution')
export const executionId = text('execution ID')
export const release = text('Release')
export const releaseId = text('release ID')
export const trace = text('Trace')
export const approvalOf = text('Approval of {title}')
export const auditRecordsAboutExecution = text('Audit records about the execution')
export const theAudit = text('The audit records')
export const noAuditRecordsWere = text('No audit records were found.')
export const everyChangeOfExecution = text(
  'Every change of an execution is recorded in the same transaction, so this list should not be empty. Contact support.',
)
export const what = text('What')
export const reason = text('Reason')
export const when = text('When')
export const seeTraces = text('see traces')
export const waitingForExecutionTo = text('Waiting for the execution to start…')
export const waitingForTraceTo = text('Waiting for the trace to start…')
export const theTrace = text('The trace')
export const openTraceOnIts = text('Open the trace on its own page')
export const compareWithAnotherRun = text('Compare with another run')
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
export const seeInputEventsOf = text('see the input events of executions')
export const inputEventPassesThrough = text(
  'An input event passes through four states: it is accepted, matched with a wait, delivered to it, and applied by the execution. Its masked content appears in the journal once it is applied.',
)
export const inputEvents = text('Input events')
export const theInput = text('The input events')
export const noInputEventsYet = text('No input events yet.')
export const systemsSendInputWith = text(
  'Systems send input with POST /v1/input-events, and people send it from the Waits tab. Input that arrives before its wait is listed here, too.',
)
export const input = text('Input')
export const receiptId = text('receipt ID')
export const sentBy = text('Sent by')
export const fromView = text('from <jsonView>jsonView</jsonView>')
export const admission = text('Admission')
export const match = text('Match')
export const delivery = text('Delivery')
export const application = text('Application')
export const output = text('Output')
export const mailTo = text('Mail to <shown>{recipient}</shown>')
export const notifiedByMail = text('Notified by mail: <shown>{recipient}</shown>')
export const openRequest = text('Open the request')
export const requestedInputs = text('Requested inputs')
export const answersAndTheirDelivery = text('Answers and their delivery')
export const theDeliveries = text('The deliveries')
export const seeWaitsAndTheir = text('see waits and their answers')
export const noDeliveriesYet = text('No deliveries yet.')
export const answersAppearHereAs = text('Answers appear here as soon as they are matched with a wait.')
export const by = text('By')
export const inputEvent = text('Input event')
export const unknownRecipient = text('an unknown recipient')
export const attempts = text('Attempts')
export const retry = text('Retry')
export const sendAgain = text('Send again')
export const sendingAgain = text('Sending again…')
export const dontSend = text('Don’t send')
export const confirmSendAgain = text('Send {input} again?')
export const itIsUnknown = text('It is unknown whether the first delivery arrived, so it may arrive twice.')
export const firstDeliveryFailedSo = text('The first delivery failed, so it will not arrive twice.')
export const itWasNotSent = text('It was not sent again.')
export const send = text('Send {input}')
export const executionContinuesWithFirst = text(
  'The execution continues with the first answer that it receives. You can’t withdraw an answer. It is stored with your name.',
)
export const close = text('Close')
export const notNow = text('Not now')
export const enterJsonValueFirst = text('Enter a JSON value first.')
export const sending = text('Sending {input}…')
export const answerJson = text('Answer (JSON)')
export const anyJsonValueFor = text('Any JSON value, for example {examples}')
export const answerWasNotAccepted = text('The answer was not accepted.')
export const sendItAgainSame = text('Send it again. The same answer is accepted at most once.')
export const itWasMatchedWith = text('It was matched with the wait, and the execution continues with it.')
export const executionIsNotWaiting = text(
  'The execution is not waiting for it yet. It is stored until a wait opens or it expires.',
)
export const noWaitOpenedBefore = text('No wait opened before it expired, so it was not used.')
export const itArrivedAfterWait = text('It arrived after the wait had closed, so it was not used.')
export const thisAnswerWasAlready = text('This answer was already accepted and was not recorded twice. ')
export const answerWasAccepted = text('The answer was accepted. ')
export const receiptCopyable = text('Receipt <copyable>copyable</copyable>')
export const notStarted = text('Not started')
export const decided = text('Decided')
export const waitingForApproval = text('Waiting for approval')
export const waitingForInput = text('Waiting for input')
export const approvedNotCalledYet = text('Approved, not called yet')
export const calling = text('Calling…')
export const done = text('Done')
export const failed = text('Failed')
export const skipped = text('Skipped')
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
export const open = text('Open')
export const answeredNotAppliedYet = text('Answered, not applied yet')
export const satisfied = text('Satisfied')
export const canceled = text('Canceled')
export const expired = text('Expired')
export const superseded = text('Superseded')
export const stepNamed = text('step <shown>{stepId}</shown>')
export const itsDeadlineHasBeen = text(
  'Its deadline has been paused since <at>time</at>, because the agent is suspended.',
)
export const executionHasEnded = text('The execution has ended.')
export const cancelWait = text('Cancel the wait')
export const cancelingWait = text('Canceling the wait…')
export const keepWaiting = text('Keep waiting')
export const cancelWaitFor = text('Cancel the wait for {input}?')
export const laterAnswersAreNot = text(
  'Later answers are not accepted. If one of the step’s other inputs is enough, the step continues with those. Otherwise the execution ends as canceled, and its remaining calls are not made. A closed wait can’t be reopened.',
)
export const waitForWasCanceled = text('The wait for {input} was canceled.')
export const waitWasNotCanceled = text('The wait was not canceled.')
export const waitsUntil = text(
  'Opened <at>time</at>. Waits until <end>time</end>; {onExpiry, select, fail {without an answer by then, the execution ends as expired.} other {without an answer by then, the execution continues with the manifest’s default.}}',
)
export const answerArrived = text(
  'Opened <at>time</at>. An answer arrived <end>time</end>. The execution will apply it next.',
)
export const answerApplied = text(
  'Opened <at>time</at>. An answer arrived <end>time</end>, and the execution applied it <applied>time</applied>.',
)
export const canceledAt = text(
  'Opened <at>time</at>. Canceled <end>time</end>, by a person or because the execution ended.',
)
export const noAnswerBy = text(
  'Opened <at>time</at>. No answer arrived by <end>time</end>; {onExpiry, select, fail {the execution ends, as its manifest requires.} other {the manifest’s default was applied.}}',
)
export const closedAt = text('Opened <at>time</at>. Closed <end>time</end>: another input of the same step was enough.')
export const atUnknownTime = text('at an unknown time')
export const loadingWaits = text('Loading waits…')
export const theWaits = text('The waits')
export const thisExecutionIsNot = text('This execution is not waiting for input.')
export const thisExecutionDidNot = text('This execution did not wait for input.')
export const stepThatNeedsExternal = text(
  'A step that needs external input, such as a manager’s confirmation, opens a wait.',
)
export const noneOpen = text('None open')
export const countOpen = text('{open} open')
export const loadingOlderWaits = text('Loading older waits…')
export const showOlderWaits = text('Show older waits')
export const endedAfter = text('<at>time</at>, after {duration}')
export const receiptIdLabel = text('receipt ID')
