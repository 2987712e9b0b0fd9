import { text } from '#components/language/text.ts'

// Deciding a request.

export const requestHasChanged = text('The request has changed.')
export const yourDecisionWasNot = text('Your decision was not recorded. Loading the change…')
export const payloadHasChanged = text('The payload has changed.')
export const reviewCurrentRequest = text('Review the current request')
export const showRecord = text('Show the record')
export const thisRequestHasExpired = text('This request has expired.')
export const someoneElseDecidedFirst = text('Someone else decided first.')
export const thisRequestWasWithdrawn = text('This request was withdrawn.')
export const reviewerRequestedChanges = text('A reviewer requested changes.')
export const timeReason = text(
  '<strong><shown>{by}</shown></strong>: {decision, select, approve {approved} reject {rejected} other {escalated}}, <at>time</at>. Reason: <shown>{reason}</shown>',
)
export const valueThatIsMasked = text('A value that is masked for you has changed.')
export const allChoices = text('All choices')
export const details = text('Details')
export const youCanRejectThis = text('You can reject this, but not approve it. <shown>{blocked}</shown>')
export const itIsReadyTo = text('It is ready to be sent.')
export const ifYouApprove = text('If you approve: <consequence>what happens</consequence>')
export const yourDecision = text('Your decision')
export const decision = text('Decision')
export const reason = text('Reason')
export const requiredStoredInAudit = text('Required. Stored in the audit record.')
export const decide = text('Decide')
export const waitingForYourPasskey = text('Waiting for your passkey…')
export const recordingYourDecision = text('Recording your decision…')
export const ctrl = text('Ctrl ↵')
export const backToApprovals = text('Back to the approvals')
export const nextOf = text('Next ({position} of {total})')
export const signedInAsTenant = text(
  '{deciding, select, true {Deciding} other {Signed in}} as <shown>{principal}</shown>, organisation <shown>{tenant}</shown>.',
)
export const pressJOrK = text(
  '{deciding, select, true {Press A, R or E to choose and write the reason, Escape to leave it, } other {Press }}J or K for the next or previous request.',
)
export const singleKeyShortcutsAre = text('Single-key shortcuts are off.')
export const turnThemOff = text('Turn single-key shortcuts off')
export const turnThemOn = text('Turn single-key shortcuts on')
export const standingGrantCantBe = text('A standing grant can’t be escalated.')
export const requestIsStillBeing = text('The request is still being loaded.')
export const yourDecisionIsBeing = text('Your decision is being recorded.')
export const checkingWhetherYourDecision = text('Checking whether your decision was recorded.')
export const yourDecisionIsRecorded = text('Your decision is recorded.')
export const thisRequestEnded = text('This request ended without a decision.')
export const thisRequestHasBeen = text('This request has been decided.')
export const thisRequest = text('This request has expired; expiry counts as rejection.')
export const reviewChangesFirst = text('Review the changes first.')
export const youAreOfflineWhat = text('You are offline. What you typed is still here.')
export const yourSessionHasEnded = text('Your session has ended. Sign in again. What you typed is still here.')
export const tooManyRequestsTry = text('Too many requests. Try again in {seconds} s.')
export const thisPageDoesNot = text(
  'This page does not show what would run: its digest differs. Don’t decide; tell an administrator.',
)
export const digestOfThisPage = text('The digest of this page is being checked.')
export const chooseApproveRejectOr = text('Choose Approve, Reject or Escalate.')
export const chooseReject = text('Choose Reject.')
export const approvingThisRequestRequires = text('Approving this request requires a passkey. Add one in your settings.')
export const showShortenedValueIn = text('Show the shortened value in full first.')
export const showShortenedValuesIn = text('Show the {unopened} shortened values in full first.')
export const confirmThatYouHave = text('Confirm that you have read what happens.')
export const timeToReadHas = text('The time to read has not begun.')
export const youCanApproveIn = text('You can approve in {left} s.')
export const yourDeviceWillAsk = text('Your device will ask for your passkey and sign exactly this request.')
export const yourOrganisationRequiresPasskey = text(
  'Your organisation requires a passkey to approve a request of this risk. <link>Add one in your settings</link>; what you typed will still be here.',
)
export const yourDecisionWas = text('Your decision was not recorded.')
export const requestIsStillWaiting = text(
  'The request is still waiting and has not changed. You can send the same decision again; it counts once.',
)
export const youCan = text('You can reject this, but not approve it.')
export const outcomeUnknownChecking = text('Outcome unknown. Checking…')
export const connectionWasLostBefore = text(
  'The connection was lost before the server confirmed your decision. This page is checking whether it was recorded; until then you can’t send another.',
)
export const recorded = text('Recorded: {decision, select, approve {approved} reject {rejected} other {escalated}}.')
export const recordIsShownBelow = text(
  '{waits, select, true {The request is still waiting, because it needs more decisions. } other {The record is shown below the request. }}Your decision can’t be undone.',
)
export const expiryCountsAsRejection = text(
  'Expiry counts as rejection. <shown>{onExpiry}</shown> What you typed is still here.',
)
export const youCantDecideThis = text('You can’t decide this.')
export const youAreOffline = text('You are offline.')
export const whatYouTypedIs = text('What you typed is still here. You can send it once you are back online.')
export const yourSession = text('Your session has ended.')
export const signInAgain = text('Sign in again')
export const whatYou = text('What you typed is still here.')
export const tooManyRequests = text('Too many requests.')
export const yourDecisionWasNotRecorded = text('Your decision was not recorded. Try again in a moment.')
export const membersOfGroupNames = text('Members of the group: <names>names</names>.')
export const theirDelegatesNames = text(' Their delegates: <names>names</names>.')
export const thisRequestIsAlready = text(
  'This request is already {status, select, approved {approved} rejected {rejected} expired {expired} canceled {canceled} other {{status}}}.',
)
export const reviewerRequestedChangesSee = text('A reviewer requested changes. See below the request.')
export const namesDecidedItReason = text('<names>names</names> decided it. The reason is shown below the request.')
export const noOneDecidedIt = text('No one decided it in time.')
export const itWasWithdrawnOr = text('It was withdrawn, or its execution or proposal ended, before anyone decided.')
export const timeToReadCould = text('The time to read could not begin: {message}')
export const tryAgain = text('Try again')
export const yourOrganisationRequiresAt = text(
  'Your organisation requires at least {seconds} s of reading before a request of this risk is approved. Rejecting needs no time.',
)
export const decisionIsBeingSent = text('A decision is being sent.')
export const anotherIsBeingOpened = text('Another request is being opened.')
export const thereIsNone = text('There is none.')
export const approveThisRequest = text('Approve this request')
export const rejectThisRequest = text('Reject this request')
export const escalateThisRequest = text('Escalate this request')
export const openNextRequest = text('Open the next request')
export const openPreviousRequest = text('Open the previous request')
export const keptText = text('Your decision was not recorded. What you typed is still here.')
export const missing = text('missing')
export const maskedValue = text('masked, {shape}')
export const isChosen = text(
  '{decision, select, approve {Approve} reject {Reject} other {Escalate}} is chosen. {whyNot}',
)
