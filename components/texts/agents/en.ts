import { text } from '#components/language/text.ts'

// The list of agents, and what their cards and menus say.

export const lastExecution = text('Last execution')
export const noneYet = text('None yet')
export const waitsFor = text('Waits for')
export const failedInTwoWeeks = text('Failed<hidden> in two weeks</hidden>')
export const ofEnded = text('of {ended}')
export const twoWeeks = text('Two weeks')
export const suspendAgent = text('Suspend the agent…')
export const resumeAgent = text('Resume the agent…')
export const retireAgent = text('Retire the agent…')
export const showItsExecutions = text('Show its executions')
export const startExecution = text('Start an execution')
export const actionsFor = text('Actions for {displayName}')
export const seeAgents = text('see agents')
export const agents = text('Agents')
export const registerAgent = text('Register an agent')
export const figuresOfAgents = text('The figures of the agents')
export const seeExecutions = text('see executions')
export const theAgents = text('The agents')
export const noAgentsAreRegistered = text('No agents are registered.')
export const registerAgentWithManifest = text(
  'Register an agent with a manifest that describes what it does, which tools it uses, and which data is sensitive.',
)
export const seenInTelemetryNot = text('Seen in telemetry, not registered')
export const summary = text(
  '{active}{more, select, true { or more} other {}} active{anySuspended, select, true {, <strong>{suspended} suspended</strong>} other {}}{running, plural, =0 {} one {, # execution running} other {, # executions running}}.',
)
export const agent = text('Agent')
export const state = text('State')
export const risk = text('Risk')
export const owners = text('Owners')
export const actions = text('Actions')
export const notReleased = text('not released')
export const versionIn = text('{version} in {environment}')
export const releasedIn = text('released in {environments}')
export const releasedAs = text('released: {places}')
export const theseAgentsAppearIn = text(
  'These agents appear in spans but are not registered. They don’t have an owner, and policies don’t decide their calls.',
)
export const unregisteredAgents = text('Unregistered agents')
export const theUnregistered = text('The unregistered agents')
export const everyAgentThatTelemetry = text('Every agent that telemetry names is registered.')
export const nameInTelemetry = text('Name in telemetry')
export const firstSeen = text('First seen')
export const lastSeen = text('Last seen')
export const lastTrace = text('Last trace')
export const openLastTraceOf = text('Open<hidden> the last trace of <shown>{agent}</shown></hidden>')
export const register = text('Register')
export const registerNamed = text('Register<hidden> <shown>{agent}</shown></hidden>')
export const keepCurrentState = text('Keep the current state')
export const suspendThe = text('Suspend the agent')
export const suspendingAgent = text('Suspending the agent…')
export const suspend = text('Suspend {displayName}?')
export const runningExecutionsStopWithin = text(
  'Running executions stop within seconds. A call in progress may end with an unknown outcome. Executions that wait for people are parked and their deadlines are paused. No new execution starts until the agent is resumed.',
)
export const isSuspended = text('{displayName} is suspended.')
export const agentWasNotSuspended = text('The agent was not suspended.')
export const resumeThe = text('Resume the agent')
export const resumingAgent = text('Resuming the agent…')
export const resume = text('Resume {displayName}?')
export const executionsCanStartAgain = text(
  'Executions can start again. Parked executions continue where they waited, with the time that they had left. Executions that were stopped remain stopped.',
)
export const isActiveAgain = text('{displayName} is active again.')
export const agentWasNotResumed = text('The agent was not resumed.')
export const retireThe = text('Retire the agent')
export const retiringAgent = text('Retiring the agent…')
export const retirePermanently = text('Retire {displayName} permanently?')
export const itsParkedExecutionsEnd = text(
  'Its parked executions end, and the agent never runs again. You can’t undo this. Its records remain.',
)
export const isRetired = text('{displayName} is retired.')
export const agentWasNotRetired = text('The agent was not retired.')
export const cantSuspend = text(
  'Only an agent that is active can be suspended; this one is {status, select, registered {registered} active {active} suspended {suspended} retired {retired} other {{status}}}.',
)
export const cantResume = text(
  'Only an agent that is suspended can be resumed; this one is {status, select, registered {registered} active {active} suspended {suspended} retired {retired} other {{status}}}.',
)
export const cantRetire = text(
  'Only an agent that is suspended can be retired; this one is {status, select, registered {registered} active {active} suspended {suspended} retired {retired} other {{status}}}.',
)
export const allAgents = text('All agents')
export const agentsCouldNotBe = text('The agents could not be loaded.')
export const riskNotStated = text('Risk not stated')
export const riskOf = text('Risk: <shown>{tier}</shown>')
export const approvals = text('{approvals, plural, one {# approval} other {# approvals}}')
export const inputs = text('{inputs, plural, one {# input} other {# inputs}}')
