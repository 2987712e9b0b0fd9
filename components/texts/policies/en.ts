import { text } from '#components/language/text.ts'

// The list of policies, rules in words, bindings.

export const policies = text('Policies')
export const seePolicies = text('see policies')
export const writePolicy = text('Write a policy')
export const thePolicies = text('The policies')
export const noPoliciesYet = text('No policies yet.')
export const policyWrittenInCedar = text(
  'A policy, written in Cedar, defines what agents may do and which calls require approval. It isn’t enforced until a version is published and bound to an agent.',
)
export const policy = text('Policy')
export const purpose = text('Purpose')
export const publishedVersion = text('Published version')
export const none = text('None')
export const createdBy = text('Created by')
export const created = text('Created')
export const policyBindings = text('Policy bindings')
export const thePolicy = text('The policy bindings')
export const seePolicyBindings = text('see policy bindings')
export const agent = text('Agent')
export const agentsWith = text('Agents with {labelText}')
export const version = text('Version')
export const environment = text('Environment')
export const mode = text('Mode')
export const enforced = text('Enforced')
export const shadowOnlyRecorded = text('Shadow: only recorded')
export const state = text('State')
export const proposedBy = text('Proposed by')
export const approval = text('Approval')
export const versionIn = text('version {policyVersion} in {environment}')
export const openRequestForVersion = text(
  'Open<hidden> the request for version {policyVersion} in {environment}</hidden>',
)
export const actions = text('Actions')
export const allowed = text('Allowed')
export const denied = text('Denied')
export const requiresApproval = text('Requires approval')
export const noRuleApplied = text('No rule applied.')
export const rule = text('Rule {rule}')
export const ruleOfVersion = text('{policyName}, version {policyVersion}{bare, select, true {} other {: {rule}}}')
export const approvalByOf = text(
  'Approval by {quorum} of {group}{staged, select, true {, then {later}} other {}}{limited, select, true { within {duration}} other {}}',
)
export const maskedBefore = text('Masked before the call: {paths} ({method})')
export const nothingMasked = text('nothing')
export const budgetOfForEach = text(
  'Budget of {limit} {unit} for each {scope}{limited, select, true { within {window}} other {}}; this call may use {amount}',
)
export const whenItAppliesCant = text('When it applies can’t be said completely in words. Read its source.')
export const fromLine = text('<shown>{rule}</shown>, from line {line}')
export const callIsPermittedUnless = text('The call is permitted, unless another rule forbids it.')
export const callIsDeniedNo = text('The call is denied. No approval lifts this.')
export const permits = text('Permits')
export const forbids = text('Forbids')
export const asksPeople = text('Asks people')
export const masks = text('Masks')
export const limits = text('Limits')
export const inStagesBy = text('in stages by {stages}')
export const onePerson = text('one person')
export const people = text('{quorum} people')
export const groupThatAgentsManifest = text('the group that the agent’s manifest names')
export const callWaitsForApproval = text(
  'The call waits for an approval {who}{limited, select, true {, for up to {ttl}} other {}}.',
)
export const byWhoOfGroup = text('by {who} of {group}')
export const callGoesAheadWith = text('The call goes ahead with {paths} masked ({method}).')
export const callGoesAheadWhile = text(
  'The call goes ahead until {limit} {unit} for {scope}{windowed, select, true { in each {window}} other {}} are used up.',
)
export const oneExecution = text('one execution')
export const oneAgentInOne = text('one agent in one environment')
export const allAgentsInOne = text('all agents in one environment')
export const allAgents = text('all agents')
export const whatTextDecidesCould = text('What the text decides could not be computed. {message}')
export const tryingText = text('Trying the text…')
export const fixMarkedProblemsTo = text('Fix the marked problems to see what the text decides.')
export const whatThisTextDecides = text('What this text decides')
export const computedFromTextAbove = text(
  'Computed from the text above for a released agent that may use the tool, with every budget unused. Nothing is recorded.',
)
export const whatThis = text('What this text decides about examples')
export const inWords = text('In words')
export const example = text('Example')
export const decision = text('Decision')
export const because = text('Because')
