import { methods } from '#server/kernel/rest.ts'
import { receiveTraces } from '#server/telemetry/receive.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({ POST: receiveTraces })
