import { methods, rest } from '#server/kernel/rest.ts'
import { createVersion } from '#server/policies/create-version.ts'
import { listVersions } from '#server/policies/list-versions.ts'
import { bodyFor, pageFrom } from '#server/policies/rest-input.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({
  GET: rest({
    name: 'policyVersions.list',
    operation: listVersions,
    input: ({ params, query }) => ({ ...pageFrom(query), policyId: params.policyId }),
  }),
  POST: rest({
    name: 'policyVersions.create',
    operation: createVersion,
    status: 201,
    input: async ({ params, json }) => bodyFor({ policyId: params.policyId }, await json()),
  }),
})
