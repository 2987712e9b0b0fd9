import { AgentCard, Role } from '@a2a-js/sdk'
import { type Client, ClientFactory, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import { A2AError, TaskNotFoundError } from '@a2a-js/sdk/errors'
import { interfaceOf } from '#server/agents/agent-card.ts'
import { failedCall } from '#server/agents/tool-result.ts'
import { AddressRefused, NotReached } from '#server/kernel/net/outbound.ts'
import type { StartedCall } from '../begin-call.ts'
import type { Loaded } from '../load.ts'
import { type LostTask, messageOutcome, type OpenTask, outcomeOf, partOf, taskOf } from './a2a-task.ts'
import type { CallResult } from './budget.ts'
import { NoSecret, withEndpoint } from './endpoint.ts'

/** One request; a task goes on without anybody being connected. */
const requestMs = 60_000

/**
 * Sends the step's message to the agent, or, once the agent has made a task of it, asks what became of that task. Throws
 * when no whole answer came: a message is then never sent again, a question is.
 */
export async function callA2aAgent(
  loaded: Loaded,
  call: StartedCall,
  { idempotencyKey, signal }: { idempotencyKey: string; signal: AbortSignal },
): Promise<CallResult | OpenTask | LostTask> {
  const { tenant, content, steps } = loaded
  const { a2a } = content.spec.runtime
  const card = content.agentCard?.card
  if (a2a === undefined || card === undefined) throw new Error('The release pins no agent card.')
  const { url, tenant: route } = interfaceOf(card)
  const known = taskOf(steps, call.step.id)
  const aborted = AbortSignal.any([signal, AbortSignal.timeout(requestMs)])
  const wire: Wire = { status: undefined }
  try {
    return await withEndpoint(
      tenant,
      { url, secretRef: a2a.auth?.secretRef, idleMs: requestMs },
      async (fetch, { authorization }) => {
        const client = await clientOf(card, url, authorization, fetch, wire)
        if (known !== undefined)
          return outcomeOf(
            await client.getTask({ tenant: route, id: known.taskId, historyLength: 0 }, { signal: aborted }),
          )
        const { taskId, contextId, reply } = call.step.id === 'call' ? {} : call.arguments
        const sent = await client.sendMessage(
          {
            tenant: route,
            message: {
              messageId: idempotencyKey,
              taskId: typeof taskId === 'string' ? taskId : '',
              contextId: typeof contextId === 'string' ? contextId : '',
              role: Role.ROLE_USER,
              parts: [partOf(reply ?? call.arguments)],
              metadata: undefined,
              extensions: [],
              referenceTaskIds: [],
            },
            configuration: {
              acceptedOutputModes: [],
              taskPushNotificationConfig: undefined,
              historyLength: 0,
              returnImmediately: true,
            },
            metadata: undefined,
          },
          { signal: aborted },
        )
        return 'parts' in sent ? messageOutcome(sent) : outcomeOf(sent)
      },
    )
  } catch (error) {
    if (known !== undefined) {
      if (error instanceof TaskNotFoundError) return { lostTask: 'The agent does not know the task any more.' }
      throw error
    }
    // Nothing was sent.
    if (error instanceof AddressRefused || error instanceof NotReached || error instanceof NoSecret)
      return failedCall(error.message)
    if (error instanceof A2AError) return failedCall(`The agent refused the message: ${error.message}`)
    if (wire.status !== undefined && wire.status >= 300)
      return failedCall(`The agent answered with the status ${wire.status}.`)
    throw error
  }
}

/** The status of the last answer: the SDK tells of it only in words. */
type Wire = { status: number | undefined }

function clientOf(
  card: Parameters<typeof interfaceOf>[0],
  url: string,
  authorization: string | undefined,
  fetch: (url: string, init: RequestInit) => Promise<Response>,
  wire: Wire,
): Promise<Client> {
  const { origin } = new URL(url)
  const fetchImpl: typeof globalThis.fetch = async (wanted, init = {}) => {
    const address = wanted instanceof Request ? wanted.url : String(wanted)
    if (new URL(address).origin !== origin) throw new AddressRefused('The agent is called at its pinned address only.')
    const headers = new Headers(init.headers)
    if (authorization !== undefined) headers.set('authorization', authorization)
    const answer = await fetch(address, { ...init, headers })
    wire.status = answer.status
    return answer
  }
  const transports = [new JsonRpcTransportFactory({ fetchImpl })]
  const pinned = AgentCard.fromJSON(card)
  return new ClientFactory({ transports }).createFromAgentCard({ ...pinned, supportedInterfaces: [interfaceOf(card)] })
}
