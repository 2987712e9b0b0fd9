// What the database roles may do on the tables of the schema public, in the words of GRANT. server/testing/role/ compares it
// with the statements in the code and with the catalog, in both directions: a statement that needs more fails a test that
// says what to write here, and so does an entry that no statement needs. migrate() grants what the list has and the catalog
// lacks at each start. It revokes only in a start that has applied a migration.
//
// To remove a privilege takes two versions, because processes of the version before continue after the first process of this
// one has migrated. One version removes the statement, and lists the privilege under `stillUsed`. The next one removes both.

/**
 * The role of the server's processes. `update (tenant_id)` alone is for row locks, which need the right to update a column:
 * row-level security keeps this one from changing.
 */
export const serverGrants: Readonly<Record<string, string>> = {
  account_links:
    'select, insert, update (acknowledged_at, address_confirmed_by, mail_used_at, proof, proved_at, vouched_by)',
  access_changes: 'select, insert, update (decided_at, status)',
  agent_owners: 'select, insert',
  agent_versions: 'select, insert',
  agents: 'select, insert, update (revision, status)',
  alarms: 'select, insert, update (count, first_seen_at, kind, last_seen_at, mac, reason, subject)',
  api_key_index: 'select, insert',
  api_keys: 'select, insert',
  approval_questions: 'select, insert, update (answer, answer_audit_id, answered_at, answered_by)',
  approval_revisions: 'select, insert, update (next_id, revised_at, revised_by)',
  approval_terms: 'select, insert, update (passed, paused_at, stage, stage_votes)',
  approval_votes: 'select, insert',
  approval_words: 'select, insert, update (tenant_id), delete',
  approvals:
    'select, insert, update (audit_id, decided_at, escalation_level, expires_at, group_id, object_digest, parked_at, payload, presentation, revision, shape_digest, status, used_at)',
  approver_delegations: 'select, insert, update (ended_at, revision)',
  approver_group_members: 'select, insert, delete',
  approver_groups: 'select, insert, update (revision)',
  audit_checkpoints: 'select, insert',
  audit_cosignatures: 'select, insert',
  audit_days: 'select',
  audit_records: 'select',
  audit_seal_checkpoints: 'select, insert',
  audit_seals: 'select, insert',
  audit_tiles: 'select',
  audit_trees: 'select, insert, update (broken_at, broken_reason, checked_at, mac, size)',
  batch_resources: 'select, insert, update (attributes, sealed), delete',
  bound_adoption_leases: 'select, insert, update (mac, valid_until)',
  bound_adoptions: 'select, insert',
  bound_states: 'select, insert, update (audit_id, digest, form, mac, revision)',
  branding_images: 'select, insert, delete',
  connection_token_index: 'select, insert',
  connection_token_uses: 'select, insert, update (used_at)',
  connection_tokens: 'select, insert, update (revision, revoked_at)',
  content_formats: 'select, insert, update (completed_at)',
  dpop_proofs: 'select, insert, delete',
  erased_content: 'select, insert, update (texts)',
  erasure_archives: 'select, insert, update (outcome)',
  erasures:
    'select, insert, update (completed_at, erased_values, held_records, held_spans, records, spans, status, subject, unreadable, waits_for)',
  evidence_exports:
    'select, insert, update (archive_bytes, archive_deleted_at, archive_gone, archive_gone_at, archive_name, archive_place, archive_sha256, ended_at, error, manifest, manifest_sha256, omissions, progress, revision, run, stages, status)',
  execution_charges: 'select, insert, update (charged_micros, input_tokens, output_tokens, settled_at)',
  execution_events: 'select, insert, update (data)',
  execution_steps:
    'select, insert, update (approval_id, arguments, attempts, decision_id, ended_at, output, span_id, started_at, status)',
  executions:
    'select, insert, update (deadline_at, ended_at, error, event_count, idempotency_key, input, output, parked_at, revision, started_at, status, stop_confirmed_at, stop_reason, stop_requested_at)',
  file_uses: 'select, insert',
  files: 'select, insert, update (content_removed_at, name), delete',
  gateway_tasks: 'select, insert, update (canceled_at, created_at, expires_at, id), delete',
  group_mappings: 'select, insert, delete',
  idempotency_keys: 'select, insert, update (fingerprint, key, response)',
  input_events: 'select, insert, update (attributes, data, identity, revision, settled_at, status)',
  input_resolutions:
    'select, insert, update (application, applied_at, attempts, delivered_at, delivery, delivery_error, recipient, revision)',
  input_waits: 'select, insert, update (closed_at, event_id, expires_at, matched_at, parked_at, revision, status)',
  known_places: 'select, insert, update (seen_at), delete',
  legal_holds: 'select, insert',
  listening_processes: 'select, insert, delete',
  machine_uses: 'select, insert, update (used_at)',
  mails: 'select, insert, update (attempts, delivery, error, message, revision, settled_at)',
  mapped_members: 'select, insert, delete',
  member_languages: 'select, insert, update (language), delete',
  member_sponsors: 'select, insert',
  member_tokens: 'select, insert, update (groups, issued_at, mac)',
  members: 'select, insert, update (display_name, email, revision, roles, status, tokens_not_before, username)',
  notification_channels:
    'select, insert, update (disabled_reason, endpoint, events, host, name, revision, status), delete',
  notification_deliveries:
    'select, insert, update (attempts, delivery, error, revision, settled_at, tried_before, tried_since), delete',
  observed_agents: 'select, insert, update (last_seen_at, last_trace_id)',
  partial_texts: 'select, insert, update (sealed, updated_at), delete',
  passkey_challenges: 'select, insert, delete',
  passkeys: 'select, insert, update (last_used_at, sign_count), delete',
  policies: 'select, insert, update (tenant_id)',
  policy_binding_revisions: 'select, insert, update (revision)',
  policy_bindings: 'select, insert, update (decided_at, revision, status)',
  policy_budget_reservations: 'select, insert, update (charged, settled_at)',
  policy_budget_windows: 'select, insert, update (quota, used), delete',
  policy_decisions: 'select, insert, update (request)',
  policy_versions: 'select, insert, update (published_at, status)',
  provisioned_groups: 'select, insert, update (external_id, name, revision, updated_at), delete',
  provisioned_members: 'select, insert, update (display_name, emails, name, revision, updated_at, user_name), delete',
  rate_budgets: 'select, insert, update (borrowed, ends_at), delete',
  realm_artifacts: 'select, insert, update (consumed_at, expires_at, grant_id, payload, uid), delete',
  realm_client_secrets: 'select, insert, update (not_after)',
  realm_clients: 'select, insert, update (disabled_at)',
  realm_sign_in_links: 'select, insert, update (used_at), delete',
  realm_users: 'select, insert, update (password_hash, signed_in_at), delete',
  registered_clients: 'select, insert, update (used_at), delete',
  releases: 'select, insert, update (decided_at, revision, status)',
  saved_views: 'select, insert, update (search, shared), delete',
  secrets: 'select, insert, update (archived_at, destinations, revision, revoked_at, sealed_value)',
  siem_positions: 'select, insert, update (before, date, seen)',
  signing_keys: 'select, insert, update (private_key, retired_at)',
  spans:
    'select, insert, update (attributes, audit_id, batch_index, end_change, ended_at, events, facts, fingerprint, kind, links, name, origin, parent_span_id, resource_index, sealed, start_change, started_at, status, status_message), delete',
  standing_grant_uses: 'select, insert',
  standing_grants:
    'select, insert, update (approved_by, decided_at, ended_at, lapse, revision, status, used_micros, uses)',
  telemetry_batches: 'select, insert, delete',
  tenant_keys: 'select, insert, update (sealed_key)',
  tenants: 'select, insert, update (branding, revision, settings)',
  tool_schemas: 'select, insert',
  trace_reveals: 'select, insert',
  traces:
    'select, insert, update (agent_id, agent_name, change_count, ended_at, error_count, execution_id, kinds, name, search, span_count, started_at), delete',
  unmask_grants: 'select, insert, update (expires_at, status)',
  unsealed: 'select, update (tenant_id), delete',
}

/** The role that owns the functions below: what the server's role may write only through them. */
export const keeperGrants: Readonly<Record<string, string>> = {
  audit_days: 'select, insert, update (mac, sealed_at, size)',
  audit_records: 'insert',
  audit_tiles: 'select, insert, update (hashes)',
  legal_holds: 'select, update (release_reason, released_at, released_by, revision)',
  // The log's notifications depend on it.
  listening_processes: 'select',
  // The policy on `tenants` reads it.
  members: 'select',
  tenants: 'select',
}

/**
 * The only functions that run with the rights of their owner. They name each table with its schema, and fix search_path. Only
 * versions before this one call append_records and close_day; the next version drops them.
 */
export const keeperFunctions: readonly string[] = [
  'append_keyed_records',
  'append_records',
  'close_day',
  'close_keyed_day',
  'grow_tiles',
  'lock_day',
  'open_empty_days',
  'open_empty_days_from',
  'others_listen',
  'release_hold',
]

/** Functions that run with the rights of their caller, which everyone may call: they add no right to the caller's. */
export const callerFunctions: readonly string[] = [
  'accept_event',
  'admit',
  'admit_caller',
  'admit_known',
  'app_api_key',
  'app_branding_digest',
  'app_connection_token',
  'app_principal_issuer',
  'app_principal_subject',
  'app_tenant',
  'append_audit',
  'begin_call',
  'begin_known_call',
  'bind_and_append',
  'change_execution',
  'change_execution_at',
  'content_commitment',
  'content_gone',
  'content_stub',
  'decide_approval',
  'end_call',
  'end_job',
  'end_known_call',
  'end_spans',
  'forget_approval_words',
  'forget_token_mac',
  'keep_demo_clock',
  'keep_step',
  'keep_step_at',
  'lapse_grants_of_mapped',
  'lapse_standing_grants',
  'lock_holds',
  'move_demo_clock',
  'notify_member',
  'notify_tenant',
  'record_decision',
  'record_decision_at',
  'record_outcome',
  'renew_policy_binding_revision',
  'start_execution',
  'start_spans',
  'start_trace',
  'store_job',
  'take_job',
  'tell_others',
  'tenant_clock',
]

/** Functions that only versions before this one call, with the rights of the role <database>_app. The next version drops them. */
export const pastFunctions: readonly string[] = ['append_audit']

/** The part of `serverGrants` that only the version before needs, by table, in the same words. */
export const stillUsed: Readonly<Record<string, string>> = {}
