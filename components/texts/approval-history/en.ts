import { text } from '#components/language/text.ts'

// Earlier decisions about the like, and standing grants from them.

export const reason = text('Reason')
export const usualAmountsToMedian = text('Usual amounts: {low} to {high}, median {median}. {words}')
export const usualTo = text('Usual: {low} to {high}. <span>{words}</span>')
export const earlierDecisions = text('Earlier decisions')
export const theEarlier = text('The earlier decisions')
export const seeApprovals = text('see approvals')
export const loadingEarlierDecisions = text('Loading earlier decisions…')
export const noOneHasDecided = text(
  '{call, select, true {No one has decided a request for this action before.} other {No one has decided a request for the same change of the same object before.}}',
)
export const onSameObject = text('On the same object')
export const decisionsOnSameObject = text('Decisions on the same object')
export const moreDecisionsOnSame = text('More decisions on the same object')
export const decisionsOnSameAction = text('Decisions on the same action')
export const asTableWithReasons = text('As a table, with reasons')
export const amountsOfLastDecisions = text('Amounts of the last decisions')
export const noAmount = text('no amount')
export const thisOne = text('this one')
export const filledBarsWereApproved = text(
  'Filled bars were approved, hollow ones were rejected. Heights are logarithmic.',
)
export const request = text('Request')
export const decision = text('Decision')
export const sameActionOnSame = text('The same action on the same object was approved before: <at>time</at>.')
export const openThatDecision = text('Open that decision')
export const decidedBy = text(', by <shown>{decidedBy}</shown>')
export const callHasNotBegun = text('The call has not begun.')
export const callBeganTime = text('The call began <at>time</at>.')
export const anotherPendingRequestAsks = text('Another pending request asks for the same action on the same object.')
export const otherPendingRequestsAsk = text(
  '{pending} other pending requests ask for the same action on the same object.',
)
export const findItInList = text('Find it in the list')
export const findThemInList = text('Find them in the list')
export const lastOfAction = text(
  '{count, plural, one {the last one of this action was {rejected, select, 1 {rejected} other {approved}}} other {the last {count} of this action: {approved} approved, {rejected} rejected}}',
)
export const moreOnSame = text('{count} more on the same object')
export const open = text('open')
