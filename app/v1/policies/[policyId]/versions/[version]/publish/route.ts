import { methods, rest } from '#server/kernel/rest.ts'
import { publishVersion } from '#server/policies/publish-version.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({
  POST: rest({
    name: 'policyVersions.publish',
    operation: publishVersion,
    wire: { body: {} },
    input: ({ params }) => ({ policyId: params.policyId, version: Number(params.version) }),
  }),
})
