// The part of bindings that other domains may import.
export { listBoundPolicies } from '#server/policies/decisions/decision-store.ts'
