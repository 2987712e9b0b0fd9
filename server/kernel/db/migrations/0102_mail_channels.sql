-- Channels that send mail to one address (docs/decisions/0063-notification-channels.md). A process of the version before does not
-- send over them: its attempt fails, and the queue gives the delivery to a newer one.
alter table notification_channels drop constraint notification_channels_kind_check;
alter table notification_channels add constraint notification_channels_kind_check
  check (kind in ('webhook', 'slack', 'teams', 'mail'));
