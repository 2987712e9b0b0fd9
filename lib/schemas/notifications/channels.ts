import { z } from 'zod'
import { limits } from '#lib/limits.ts'
import { Actor, Id, PageInput, page, Reason, Revision, Time } from '../common.ts'
import { Delivery } from '../mail.ts'
import { channelKinds, whyNotAddress } from './channel-address.ts'

export const ChannelKind = z.enum(channelKinds)

/** What a channel can report. */
export const NotificationEvent = z.enum([
  'approval.requested',
  'approval.reminded',
  'approval.escalated',
  'approval.decided',
  'approval.expired',
  'execution.failed',
  'agent.suspended',
  'alarm.raised',
  'export.ready',
])
export type NotificationEvent = z.infer<typeof NotificationEvent>

const Events = z
  .array(NotificationEvent)
  .min(1)
  .refine((events) => new Set(events).size === events.length, 'Name each event once.')
const Name = z.string().trim().min(1).max(limits.channelName)
/** Stored encrypted, and never returned: an incoming webhook of Slack or Teams is a secret by itself. What it is depends on the kind. */
const Address = z.string().trim().min(1).max(2000)

export const Channel = z.object({
  id: Id,
  kind: ChannelKind,
  name: z.string(),
  /** Of its address; for mail, the part after the @. */
  host: z.string(),
  events: z.array(NotificationEvent),
  status: z.enum(['active', 'disabled']),
  disabledReason: z.string().nullable(),
  /**
   * Messages that were tried and not delivered since the last one that was, without those that can't be sent any more. Null if there
   * are none. `since`: when the first of them was written. `error`: why the last attempt failed; null while it is made.
   */
  failing: z.object({ since: Time, messages: z.int(), error: z.string().nullable() }).nullable().optional(),
  createdBy: Actor,
  createdAt: Time,
  revision: Revision,
})
export type Channel = z.infer<typeof Channel>

export const CreateChannelInput = z
  .strictObject({ kind: ChannelKind, name: Name, address: Address, events: Events })
  .superRefine(({ kind, address }, context) => {
    const message = whyNotAddress(kind, address)
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['address'], message })
  })
/** `secret`: for a webhook, the key of its signatures (Standard Webhooks). It is shown once. */
export const CreateChannelOutput = z.object({ id: Id, secret: z.string().optional() })
export const UpdateChannelInput = z.strictObject({
  id: Id,
  expectedRevision: Revision,
  name: Name.optional(),
  address: Address.optional(),
  events: Events.optional(),
  status: z.enum(['active', 'disabled']).optional(),
})
export const ChannelOutput = z.object({ channel: Channel })
export const ListChannelsInput = z.strictObject({})
export const ChannelList = z.object({ items: z.array(Channel) })
export const RotateSecretInput = z.strictObject({ id: Id, expectedRevision: Revision })
/** Both secrets sign until `previousUntil`. */
export const RotateSecretOutput = z.object({ id: Id, secret: z.string(), previousUntil: Time, revision: Revision })
export const RemoveChannelInput = z.strictObject({ id: Id, reason: Reason })
export const RemoveChannelOutput = z.object({ id: Id })
export const TestChannelInput = z.strictObject({ id: Id })
export const TestChannelOutput = z.object({ deliveryId: Id })

export const NotificationDelivery = z.object({
  id: Id,
  channelId: Id,
  /** `test` for one that a person asked for. */
  event: z.union([NotificationEvent, z.literal('test')]),
  subjectId: z.string(),
  createdAt: Time,
  /** `failed` is a dead letter: it is not sent again by itself. */
  delivery: Delivery,
  attempts: z.int(),
  error: z.string().nullable(),
  settledAt: Time.nullable(),
  revision: Revision,
})
export type NotificationDelivery = z.infer<typeof NotificationDelivery>
export const ListDeliveriesInput = z.strictObject({
  ...PageInput,
  channelId: Id.optional(),
  delivery: Delivery.optional(),
})
export const DeliveryList = page(NotificationDelivery)
export const ResendInput = z.strictObject({ id: Id, expectedRevision: Revision })
export const ResendOutput = z.object({ id: Id, delivery: Delivery, revision: Revision })
