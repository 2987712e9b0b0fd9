import { methods, rest } from '#server/kernel/rest.ts'
import { createPolicy } from '#server/policies/create.ts'
import { listPolicies } from '#server/policies/list.ts'
import { pageFrom } from '#server/policies/rest-input.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({
  GET: rest({ name: 'policies.list', operation: listPolicies, input: ({ query }) => pageFrom(query) }),
  POST: rest({ name: 'policies.create', operation: createPolicy, status: 201, input: ({ json }) => json() }),
})
