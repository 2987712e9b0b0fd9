import type { JsonObject } from '#lib/json.ts'

/** The reserved server under which an external runtime is called as a tool. Rules can't read its undeclared arguments. */
export const runtimeServer = 'agent'
export const runtimeSchema: JsonObject = { type: 'object' }
