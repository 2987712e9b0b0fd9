import { methods } from '#server/kernel/rest.ts'
import { metricsRoute } from '#server/metrics/read.ts'
import { receiveMetrics } from '#server/telemetry/receive.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({ GET: metricsRoute, POST: receiveMetrics })
