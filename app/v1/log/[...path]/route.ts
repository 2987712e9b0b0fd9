import { logRoute } from '#server/audit/monitors/log-route.ts'
import { methods } from '#server/kernel/rest.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({ GET: logRoute })
