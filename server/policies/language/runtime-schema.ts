import type { JsonObject } from '#lib/json.ts'

/** An external runtime is called as a tool of this reserved server; what it takes is not declared, so no rule reads it. */
export const runtimeServer = 'agent'
export const runtimeSchema: JsonObject = { type: 'object' }
