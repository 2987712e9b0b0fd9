// What other domains may ask of bindings.
export { listBoundPolicies } from '#server/policies/decisions/decision-store.ts'
