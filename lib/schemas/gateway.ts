import { z } from 'zod'
import { EnvironmentName, Id, JsonObject } from './common.ts'
import { ExecutionStatus } from './executions.ts'

/** `agent` is a name or an id. Default for `environment`: the one in which the agent has its only active release. */
export const GatewayInput = z.strictObject({
  agent: z.string().min(1).max(200),
  server: z.string().min(1).max(200),
  environment: EnvironmentName.optional(),
})

export const GatewayTools = z.object({
  agentId: Id,
  environment: EnvironmentName,
  tools: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      description: z.string(),
      inputSchema: JsonObject,
      annotations: JsonObject.optional(),
      outputSchema: JsonObject.optional(),
    }),
  ),
  /** URIs, and names. */
  resources: z.array(z.string()),
  prompts: z.array(z.string()),
})

/** A resource or a prompt of a server: `name` is its URI or its name. */
export const GatewayReadInput = z.strictObject({
  agentId: Id,
  environment: EnvironmentName,
  server: z.string().min(1).max(200),
  kind: z.enum(['resource', 'prompt']),
  name: z.string().min(1).max(2000),
  arguments: z.record(z.string(), z.string().max(10_000)).default({}),
})

export const GatewayCallInput = z.strictObject({
  agentId: Id,
  environment: EnvironmentName,
  server: z.string().min(1).max(200),
  tool: z.string().min(1).max(200),
  arguments: JsonObject,
  /** The caller's key: repeated calls with the same key are the same call and get its result. */
  idempotencyKey: z.string().min(1).max(200).optional(),
  /** Whether the caller gets a task instead of the result. */
  asTask: z.boolean().default(false),
})
export const GatewayCallOutput = z.object({ executionId: Id, status: ExecutionStatus, isRepeated: z.boolean() })

/** Cancels a task at an address of the gateway. */
export const GatewayCancelInput = z.strictObject({
  taskId: Id,
  agentId: Id,
  environment: EnvironmentName,
  server: z.string().min(1).max(200),
})
export const GatewayCancelOutput = z.object({ executionId: Id })
