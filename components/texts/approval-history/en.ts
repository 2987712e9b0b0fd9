import { text } from '#components/language/text.ts'

// Earlier decisions about the like, and standing grants from them.

export const atMostForEach = text('{shownName}, at most for each call, {currency}')
export const sameAsHereMasked = text('the same as here (masked)')
export const likePattern = text('like a pattern')
export const anyValue = text('any value')
export const patternFor = text('Pattern for {shownName}')
export const isAnyTextHere = text('* is any text. Here: <shown>{value}</shown>')
export const proposeStandingGrant = text('Propose a standing grant…')
export const callsLikeThisOne = text(
  'Calls like this one then run without a person, until the grant ends. A second member of the group decides on it.',
)
export const anotherMemberOfDecides = text('Another member of {group} decides on it.')
export const conditionsForEachArgument = text('Conditions for each argument')
export const inTotal = text('In total, {currency}')
export const calls = text('Calls')
export const atMost = text('At most {most}.')
export const endsAfter = text('Ends after')
export const reason = text('Reason')
export const secondPersonReadsIt = text('The second person reads it in the audit record.')
export const fillInEachLimit = text('Fill in each limit.')
export const theseTermsCantBe = text('These terms can’t be proposed.')
export const giveReason = text('Give a reason.')
export const whatItWouldHave = text('What it would have meant')
export const fillIn = text('Fill in each limit to see what the grant would have meant.')
export const rejectedOnes = text('Rejected:')
export const pastNone = text('No one decided a request for this action in the last 90 days.')
export const pastDecided = text(
  'In the last 90 days, people decided {requests, plural, one {one request} other {# requests}} for this action.',
)
export const pastNoneMatched = text(
  '{requests, plural, one {It would not have run by the grant.} other {None of them would have run by the grant.}}',
)
export const pastMatched = text(
  '{of, select, it {It} all {All of them} other {{matched} of them}} would have run by the grant: {outcome, select, approved {people approved {approved, plural, one {it} other {all #}}} rejected {people rejected {rejected}} other {people approved {approved} and rejected {rejected}}}.',
)
export const oneDay = text('One day')
export const days = text('{days} days')
export const usualAmountsToMedian = text('Usual amounts: {low} to {high}, median {median}. {words}')
export const usualTo = text('Usual: {low} to {high}. <span>{words}</span>')
export const earlierDecisions = text('Earlier decisions')
export const theEarlier = text('The earlier decisions')
export const seeApprovals = text('see approvals')
export const loadingEarlierDecisions = text('Loading earlier decisions…')
export const noOneHasDecided = text('No one has decided a request for this action before.')
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
  'the last {count, plural, one {one} other {{count}}} of this action: {approved} approved, {rejected} rejected',
)
export const moreOnSame = text('{count} more on the same object')
export const exactly = text('exactly {value}')
export const open = text('open')
