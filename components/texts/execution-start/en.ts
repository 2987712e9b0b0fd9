import { text } from '#components/language/text.ts'

// Starting an execution.

export const confirmStartIn = text('Start {agentName} in {environment}?')
export const versionRunsWithThis = text(
  'Version {version} runs with this input. Its calls have real effects, except those that a policy denies or a person has to approve.',
)
export const notNow = text('Not now')
export const startIn = text('Start {agentName} in {environment}')
export const yes = text('Yes')
export const no = text('No')
export const chooseValue = text('Choose a value')
export const noValue = text('No value')
export const jsonValueTextIn = text('A JSON value: a text in double quotes, a number, a list or an object.')
export const notValidText = text('Not a valid text.')
export const mustBeNumber = text('Must be a number.')
export const mustBeTrueOr = text('Must be true or false.')
export const chooseOneOfValues = text('Choose one of the values.')
export const notValidJsonPut = text('Not valid JSON. Put a text into double quotes.')
export const input = text('Input')
export const fieldsCantShowAll = text('The fields can’t show all of this input.')
export const enterItInFields = text('Enter it in fields')
export const enterItAsJson = text('Enter it as JSON')
export const inputAsJson = text('Input as JSON')
export const jsonObjectWithMembers = text(
  'A JSON object with the members that the agent’s manifest reads, for example {example}.',
)
export const earlierInput = text('Use an earlier input')
export const earlierInputs = text('Earlier inputs')
export const inputOf = text('Use the input of {execution}')
export const executionIsBeingStarted = text('The execution is being started.')
export const takeInput = text('Use')
export const startExecution = text('Start an execution')
export const startItAgainSame = text('Start it again. The same input starts at most one execution.')
export const openDeniedExecution = text('Open the denied execution')
export const open = text('Open {agent}')
export const nothingRanAttemptIs = text('Nothing ran. The attempt is recorded in the audit log.')
export const nothingWasChanged = text('Nothing was changed.')
export const firstCallOfExecution = text('The first call of the execution was denied.')
export const itIsUnknownWhether = text('It is unknown whether the execution was started.')
export const executionWasNotStarted = text('The execution was not started.')
export const proposePolicyBindingFor = text(
  'Propose a policy binding for this environment on the agent’s page. Another reviewer has to approve it.',
)
export const proposeReleaseForThis = text(
  'Propose a release for this environment on the agent’s page. Another reviewer has to approve it.',
)
export const operatorCanResumeIt = text('An operator can resume it.')
export const executionsPageShowsRule = text(
  'The execution’s page shows the rule that denied it. Change the input, or have the policy changed.',
)
export const noOneInApprover = text('No one in the approver group can decide it. Add a reviewer to the group.')
export const checkListOfExecutions = text(
  'Check the list of executions: one was already started with a different input.',
)
export const startExecutions = text('start executions')
export const executions = text('Executions')
export const loadingAgents = text('Loading agents…')
export const theAgents = text('The agents')
export const seeAgents = text('see agents')
export const noAgentsYet = text('No agents yet.')
export const registerAgent = text('Register an agent')
export const registerOneItCan = text('Register one. It can run once its policy binding and its release are approved.')
export const agent = text('Agent')
export const chooseAgent = text('Choose an agent')
export const environment = text('Environment')
export const runsReleasedVersion = text('Runs the released version {version}.')
export const startThe = text('Start the execution')
export const startNamed = text('Start {agent}')
export const loadingAgentsManifest = text('Loading the agent’s manifest…')
export const agentsManifest = text('The agent’s manifest')
export const seeReleases = text('see releases')
export const startingExecution = text('Starting the execution…')
export const startAgent = text('Start {agent}…')
export const chooseAgentFirst = text('Choose an agent first.')
export const agentIs = text('{status, select, suspended {This agent is suspended.} other {This agent is retired.}}')
export const noReleaseOfThis = text('No release of this agent is active. Propose one on its page and have it approved.')
export const chooseEnvironmentFirst = text('Choose an environment first.')
export const required = text('Required.')
