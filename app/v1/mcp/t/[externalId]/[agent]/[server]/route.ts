import { tenantGateway } from '#server/executions/gateway/serve.ts'
import { methods } from '#server/kernel/rest.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({ POST: tenantGateway })
