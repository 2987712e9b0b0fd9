import type { JsonObject } from '#lib/json.ts'

/** The reserved server as whose tool an external runtime is called. Its arguments are not declared, so no rule can read them. */
export const runtimeServer = 'agent'
export const runtimeSchema: JsonObject = { type: 'object' }
