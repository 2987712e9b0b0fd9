import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AgentCard, type Message, type Part, Role, TaskState } from '@a2a-js/sdk'
import { TaskNotCancelableError } from '@a2a-js/sdk/errors'
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from '@a2a-js/sdk/server'

/** How the agent responds to a message. A message that answers its question completes the task. */
export type Behaviour = 'answer' | 'ask' | 'fail' | 'hold' | 'drop' | 'refuse'
/** How it responds to the cancellation of a task: ends it, refuses, completes it, or does not respond. */
export type Obedience = 'cancel' | 'refuse' | 'complete' | 'silent'

export type A2aAgent = {
  /** The address of its card. */
  card: string
  /** The JSON-RPC calls that arrived, in order. */
  received: {
    method: string
    messageId: string | undefined
    /** Of a task that it was asked about. */
    taskId: string | undefined
    text: string
    authorization: string | undefined
  }[]
  behave(behaviour: Behaviour, obedience?: Obedience): void
  /** Lets a held task complete. */
  release(): void
  /** Forgets its tasks, like a process that is restarted. */
  forget(): void
  close(): Promise<void>
}

const textOf = (parts: readonly Part[]) =>
  parts.map(({ content }) => (content?.$case === 'text' ? content.value : JSON.stringify(content?.value))).join(' ')

/** Starts an agent on the protocol's server library, on a free loopback port. */
export async function startA2aAgent(): Promise<A2aAgent> {
  let behaviour: Behaviour = 'answer'
  let obedience: Obedience = 'cancel'
  let held = Promise.withResolvers<void>()
  const received: A2aAgent['received'] = []
  const server = createServer((req, res) => {
    answer(req, res).catch((error: unknown) => res.destroy(error instanceof Error ? error : undefined))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const card: AgentCard = {
    name: 'Refund desk',
    description: 'Answers, asks, fails.',
    version: '1.0.0',
    supportedInterfaces: [{ url: `${base}/rpc`, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' }],
    provider: undefined,
    capabilities: { streaming: false, pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    signatures: [],
  }
  /** Of tasks that it works on. */
  const contexts = new Map<string, string>()
  const statusOf = (state: TaskState, message?: Message) => ({ state, message, timestamp: new Date().toISOString() })
  const executor: AgentExecutor = {
    async execute({ taskId, contextId, userMessage, task }, bus) {
      contexts.set(taskId, contextId)
      const says = (text: string): Message => ({
        messageId: `${taskId}-${text.length}`,
        taskId,
        contextId,
        role: Role.ROLE_AGENT,
        parts: [
          { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' },
        ],
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
      })
      const become = (state: TaskState, text?: string) => {
        const status = statusOf(state, text === undefined ? undefined : says(text))
        bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }))
      }
      if (task === undefined)
        bus.publish(
          AgentEvent.task({
            id: taskId,
            contextId,
            status: statusOf(TaskState.TASK_STATE_SUBMITTED),
            artifacts: [],
            history: [userMessage],
            metadata: undefined,
          }),
        )
      become(TaskState.TASK_STATE_WORKING)
      const said = textOf(userMessage.parts)
      if (behaviour === 'hold') await held.promise
      // The task was canceled in the meantime.
      if (!contexts.has(taskId)) return
      if (behaviour === 'ask' && task === undefined) become(TaskState.TASK_STATE_INPUT_REQUIRED, 'Which order?')
      else if (behaviour === 'fail') become(TaskState.TASK_STATE_FAILED, 'The ledger is closed.')
      else become(TaskState.TASK_STATE_COMPLETED, `Done: ${said}`)
      bus.finished()
    },
    async cancelTask(taskId, bus) {
      if (obedience === 'refuse') throw new TaskNotCancelableError('The task cannot be canceled.')
      const contextId = contexts.get(taskId) ?? ''
      contexts.delete(taskId)
      const state = obedience === 'complete' ? TaskState.TASK_STATE_COMPLETED : TaskState.TASK_STATE_CANCELED
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: statusOf(state), metadata: undefined }))
      bus.finished()
      held.resolve()
    },
  }
  const handlerOf = () =>
    new JsonRpcTransportHandler(new DefaultRequestHandler(card, new InMemoryTaskStore(), executor))
  let handler = handlerOf()

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.url === '/card') return void res.setHeader('content-type', 'application/json').end(JSON.stringify(card))
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    received.push({
      method: body.method,
      messageId: body.params.message?.messageId,
      taskId: body.params.id,
      text: JSON.stringify(body.params.message?.parts ?? ''),
      authorization: req.headers.authorization,
    })
    if (body.method === 'CancelTask' && obedience === 'silent') return
    if (behaviour === 'refuse') return void res.writeHead(401).end('no')
    const result = await handler.handle(body, new ServerCallContext({ requestedVersion: '1.0' }))
    // The message was accepted, but the response never arrives.
    if (behaviour === 'drop') return void res.destroy()
    res.setHeader('content-type', 'application/json').end(JSON.stringify(result))
  }

  return {
    card: `${base}/card`,
    received,
    behave(next, toStops = 'cancel') {
      behaviour = next
      obedience = toStops
      held = Promise.withResolvers()
    },
    release: () => held.resolve(),
    forget() {
      handler = handlerOf()
    },
    async close() {
      held.resolve()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
