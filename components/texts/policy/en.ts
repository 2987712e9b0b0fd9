import { text } from '#components/language/text.ts'

// One policy, a new one, and one decision.

export const everyCall = text('Every call')
export const everyToolCallWaits = text('Every tool call waits for a person. A text to write your own from.')
export const policiesToStartFrom = text('Policies to start from')
export const writePolicies = text('write policies')
export const writePolicy = text('Write a policy')
export const policies = text('Policies')
export const startFrom = text('Start from')
export const policyNamedAlreadyExists = text('A policy named {name} already exists. Choose another name.')
export const purposeCanHaveAt = text('The purpose can have at most {policyDescription} characters.')
export const writeRuleFirst = text('Write a rule first.')
export const name = text('Name')
export const lowerCaseLettersDigits = text(
  'Lower-case letters, digits and hyphens, for example refund-policy. It can’t be changed later.',
)
export const purpose = text('Purpose')
export const optionalShownInLists = text('Optional, shown in lists')
export const policyCedar = text('Policy (Cedar)')
export const firstVersionOfPolicy = text(
  'The first version of the policy. It is stored as a draft, which isn’t enforced until it is published and bound.',
)
export const policyWasNotStored = text('The policy was not stored.')
export const storeItAgainSame = text('Store it again: the same text creates at most one policy.')
export const storingPolicy = text('Storing the policy…')
export const storePolicy = text('Store the policy')
export const youChangedTextChange = text('You changed the text. Change this name there.')
export const tool = text('Tool')
export const asServerNameText = text('As server/name. The text expects the arguments {names}.')
export const useServerNameSuch = text('Use server/name, such as payments/issue_refund.')
export const approverGroup = text('Approver group')
export const peopleWhoDecide = text('The people who decide.')
export const budgets = text('Budgets')
export const theBudgets = text('The budgets')
export const seePolicies = text('see policies')
export const budgetsAreUnused = text('The budgets are unused.')
export const budgetIsListedHere = text(
  'A budget is listed here after a call reserves some of it in the current window.',
)
export const rule = text('Rule')
export const appliesTo = text('Applies to')
export const used = text('Used')
export const resets = text('Resets')
export const never = text('Never')
export const allAgentsInAll = text('All agents, in all environments')
export const allAgentsIn = text('All agents in {environment}')
export const agentInEnvironment = text('<agentLink><shown>{agent}</shown></agentLink> in {environment}')
export const oneExecutionOfIn = text(
  '<link>One execution</link> of <agentLink><shown>{agent}</shown></agentLink> in {environment}',
)
export const usedOf = text('{used} of {limit} {unit}{full, select, true {<strong> (used up)</strong>} other {}}')
export const stepLink = text('Step <shown>{stepId}</shown>')
export const stepOfExecution = text('Step <shown>{stepId}</shown> of an execution')
export const includingReservedForCalls = text('including {reserved} reserved for calls in progress')
export const newVersionOfPolicy = text('New version of a policy')
export const loadingPolicy = text('Loading the policy…')
export const thePolicy = text('The policy')
export const newVersionOf = text('New version of {policy}')
export const writePolicyFirst = text('Write a policy first.')
export const textIsIdenticalTo = text('The text is identical to version {version}.')
export const storedAsDraftWhich = text('Stored as a draft, which is not enforced.')
export const startsFromVersionStored = text('Starts from version {version}. Stored as a draft, which is not enforced.')
export const draftWasNotStored = text('The draft was not stored.')
export const storeIt = text('Store it again: the same text creates at most one draft.')
export const storingDraft = text('Storing the draft…')
export const storeAsDraft = text('Store as a draft')
export const policy = text('Policy')
export const policyId = text('policy ID')
export const notPublishedYet = text('Not published yet')
export const publishedVersion = text('Published version {latestPublishedVersion}')
export const createdByTime = text('Created by <shown>{createdBy}</shown> <at>time</at>')
export const writeFirstVersion = text('Write the first version')
export const rules = text('Rules')
export const agentsThatRulesReach = text('Agents that the rules reach')
export const differencesBetweenVersions = text('Differences between versions')
export const wholeText = text('Whole text')
export const simulateVersion = text('Simulate version {version}')
export const bindings = text('Bindings')
export const recentMatches = text('Recent matches')
export const thisVersionIsDraft = text('This version is a draft. Publish it first.')
export const chooseAgent = text('Choose an agent.')
export const chooseEnforceOrShadow = text('Choose enforce or shadow.')
export const proposeToBindVersion = text('Propose to bind version {version}')
export const versionDecidesEachCall = text(
  'The version decides each call of the agent in that environment after an approver other than you approves the binding. In the mode Enforce, it replaces the version that is bound there now.',
)
export const agent = text('Agent')
export const loading = text('Loading…')
export const chooseAn = text('Choose an agent')
export const agentsCouldNotBe = text('The agents could not be loaded. Close this dialog and try again.')
export const environment = text('Environment')
export const lowerCase = text('Lower-case letters, digits and hyphens, for example production')
export const mode = text('Mode')
export const enforce = text('Enforce')
export const callsThatPolicyDenies = text('Calls that the policy denies are blocked.')
export const shadow = text('Shadow')
export const decisionsOfPolicyAre = text('The decisions of the policy are recorded but not enforced.')
export const versionIsPublished = text('Version {version} is published.')
export const publishVersion = text('Publish version {version}')
export const confirmPublishVersion = text('Publish version {version}?')
export const afterPublishingYouCant = text(
  'After publishing, you can’t change the text of this version; you can only add another version. The version isn’t enforced until a binding to it is proposed and approved.',
)
export const keepDraft = text('Keep the draft')
export const thisVersionIsAlready = text('This version is already published.')
export const publishingVersion = text('Publishing version {version}…')
export const versionWasNotPublished = text('The version was not published.')
export const checkListOfVersions = text('Check the list of versions before you publish it again.')
export const toolsMayHaveChanged = text(
  'The tools may have changed since the draft was stored. Edit the text as a new version.',
)
export const theDecisions = text('The decisions')
export const noRecentMatches = text('No recent matches.')
export const loadOlderDecisionsTo = text('Load older decisions to search further.')
export const decisionsAppearHereWhen = text(
  'Decisions appear here when an agent that the policy is bound to makes a call.',
)
export const call = text('Call')
export const linkedAgentIn = text('<link><shown>{agentName}</shown></link> in {environment}')
export const decision = text('Decision')
export const execution = text('Execution')
export const externalAgent = text('External agent')
export const decided = text('Decided')
export const decisionOf = text('Decision of ')
export const readingRules = text('Reading the rules…')
export const theRules = text('The rules')
export const decisionsSinceTimeOf = text(
  'Decisions since <at>time</at>{complete, select, true {.} other {, of the newest 20,000 in the organisation.}}',
)
export const neededApproval = text('{count} needed an approval')
export const appliedTo = text('applied to {count, plural, one {# call} other {# calls}}')
export const wereAllowed = text('{count} allowed')
export const wereDenied = text('{count} denied')
export const determinedNoDecisionsIn = text('Determined no decisions in the last day.')
export const inLastDay = text('In the last day: {counts}.')
export const namesAgentWhichThis = text('Names the agent {onlyAgent}, which this version is not bound to.')
export const reachesNoneOfYour = text('Reaches none of your agents.')
export const reachesAgents = text(
  'Reaches {more, select, true {more than } other {}}{agents, plural, one {# agent} other {# agents}}.',
)
export const readingBindings = text('Reading the bindings…')
export const versionDoesntReachAny = text('Version {version} doesn’t reach any agent.')
export const noActiveBindingNames = text(
  'No active binding names it, or no released agent has the labels of its bindings.',
)
export const moreAgentsAreReached = text('More agents are reached. These are the first by name.')
export const enforced = text('Enforced')
export const shadowOnlyRecorded = text('Shadow: only recorded')
export const bound = text('Bound')
export const toAgent = text('To the agent')
export const byItsLabels = text('By its labels')
export const last24Hours = text('The last 24 hours')
export const last7Days = text('The last 7 days')
export const last30Days = text('The last 30 days')
export const seeHowVersionWould = text(
  'See how version {version} would have decided the calls of a past period, as if it had been bound to every agent of the environment. A simulation doesn’t record or change anything.',
)
export const period = text('Period')
export const simulatingVersion = text('Simulating version {version}…')
export const simulationFailed = text('The simulation failed.')
export const nothingWasChanged = text('{message} Nothing was changed.')
export const simulatingOlderDecisions = text('Simulating older decisions…')
export const simulateOlderDecisions = text('Simulate older decisions')
export const inPeriod = text('in the period')
export const simulatedSoFarPeriod = text('simulated so far; the period contains older decisions')
export const noDecisionsInThis = text(
  '<strong>No decisions in this environment and period.</strong> Choose a longer period or another environment.',
)
export const decisionIsNotStored = text('The request of this decision was erased, or deleted by age.')
export const decisionIsNotStoredAbout = text(
  'So the decision can’t be shown or computed again. Its record remains in the audit log, and the journal of its execution names the rules.',
)
export const noDecisionsSoFar = text(
  '<strong>No decisions in this environment so far.</strong> The period contains older ones, which were not searched yet.',
)
export const decisionsNotStored = text(
  '{decisions, plural, one {# decision} other {# decisions}} could not be tried, because {decisions, plural, one {its request was} other {their requests were}} erased or deleted by age.',
)
export const versionChangesNoneOf = text(
  'Version {version} changes none of {decisions, plural, one {# decision} other {# decisions}}',
)
export const versionChangesOfDecisions = text(
  'Version {version} changes {changed} of {decisions, plural, one {# decision} other {# decisions}}',
)
export const changesByKind = text('Changes by kind')
export const decisionsThatChange = text('Decisions that change')
export const change = text('Change')
export const effect = text('Effect')
export const wouldNoLongerBe = text('Would no longer be denied')
export const wouldNoLongerRequire = text('Would no longer require approval')
export const wouldBeDenied = text('Would be denied')
export const wouldHaveOtherTerms = text('Other people would approve, or other values would be masked')
export const wouldRequireApproval = text('Would require approval')
export const decisions = text('Decisions')
export const openAgent = text('Open the agent')
export const recordedDecision = text('Recorded decision')
export const withThisVersion = text('With this version')
export const compareWith = text('Compare with')
export const versionWithState = text('Version {version}{status, select, draft {, draft} other {}}')
export const versionsHaveAlmostNothing = text('The versions have almost nothing in common.')
export const readTheirSourcesOne = text('Read their sources one after the other.')
export const twoVersionsAreIdentical = text('The two versions are identical.')
export const theyDifferInTheir = text('They differ in their numbers only.')
export const fromVersionToVersion = text(
  'From version {version} to version {to}: {lines, plural, one {# line} other {# lines}} added, {removed, plural, one {# line} other {# lines}} removed.',
)
export const changedLines = text('Changed lines')
export const equalLines = text('{equalLines, plural, one {# equal line} other {# equal lines}}')
export const added = text('Added: ')
export const removed = text('Removed: ')
export const noVersionsYet = text('No versions yet.')
export const writeFirstVersionIn = text(
  'Write the first version in Cedar. It defines what agents may do and which calls require approval.',
)
export const versions = text('Versions')
export const version = text('Version {version}')
export const published = text('Published')
export const draft = text('Draft')
export const versionByTime = text('Version {version} by <shown>{createdBy}</shown> <at>time</at>')
export const sha256Shortdigest = text('SHA-256 <shortDigest>shortDigest</shortDigest>')
export const editVersionAsNew = text('Edit version {version} as a new draft')
export const linesOfCedar = text('{lines, plural, one {# line} other {# lines}} of Cedar')
export const sourceOfVersion = text('Source of version {version}')
export const noBindings = text('No bindings.')
export const policyIsntEnforcedUntil = text(
  'The policy isn’t enforced until a binding to a published version is proposed and approved.',
)
export const seePolicyDecisions = text('see policy decisions')
export const policyDecision = text('Policy decision')
export const decisionId = text('decision ID')
export const loadingDecision = text('Loading the decision…')
export const theDecision = text('The decision')
export const decisionOn = text('Decision on <shown>{resource}</shown>')
export const why = text('Why')
export const details = text('Details')
export const recomputed = text('Recomputed')
export const agentIn = text('Agent <link><shown>{agentName}</shown></link> in {environment}')
export const action = text('Action')
export const requestedBy = text('Requested by')
export const anExternal = text('An external agent')
export const obligations = text('Obligations')
export const none = text('None')
export const policiesInForce = text('Policies in force')
export const shownVersion = text('<shown>{name}</shown>, version {version}')
export const namedVersion = text('{name}, version {version}')
export const requestSha256 = text('Request, SHA-256')
export const theRequest = text('the request')
export const decisionWasRecomputedFor = text(
  'The decision was recomputed for this page from the recorded request and the published texts. The result is identical, byte for byte.',
)
export const theDecisionWas = text(
  'The decision was recomputed for this page, and the result differs. The recorded decision is the one that was enforced.',
)
export const recomputedDecision = text('Recomputed decision')
export const reasons = text('Reasons')
export const charactersTooLong = text('{over, plural, one {# character} other {# characters}} too long.')
export const templateTitle = text(
  '{key, select, refunds {Refunds} deletion {Deletion of records} data_export {Data export} outside_mail {E-mail to outsiders} deployments {Deployments} other {Spending}}',
)
export const templateUse = text(
  '{key, select, refunds {Small refunds run, larger ones wait for a person, very large ones never happen.} deletion {Two people decide each deletion, and none happens without a ticket.} data_export {Small exports to known places run. Personal data and large exports wait for a person.} outside_mail {Mail within the company is sent. A person reads what leaves it.} deployments {Staging is free. Production waits for a person, and a change of the schema for two groups.} other {Small orders are placed, larger ones need a person, the largest a second group.}}',
)
export const versionNamed = text('version {version}')
