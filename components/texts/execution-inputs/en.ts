import { text } from '#components/language/text.ts'

// Inputs and waits of an execution.

export const waits = text('Waits')
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
export const mailTo = text('Mail to <shown>{recipient}</shown>')
export const notifiedByMail = text('Notified by mail: <shown>{recipient}</shown>')
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
export const noLongerWaits = text('The execution no longer waits for this input.')
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
export const receiptIdLabel = text('receipt ID')
