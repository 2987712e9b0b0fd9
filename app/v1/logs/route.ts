import { methods } from '#server/kernel/rest.ts'
import { receiveLogs } from '#server/telemetry/receive.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({ POST: receiveLogs })
