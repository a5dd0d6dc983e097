import { ActionIcon, Menu, Modal, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { logOut } from '../api/session.ts';
import { FailureAlert } from '../parts/failure-alert.tsx';
import { useSession } from './scopes.ts';

/** Whose account it is, by which key, and the way out. */
export function AccountMenu() {
  const { account, key, csrf_token } = useSession();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const leave = useMutation({
    mutationFn: () => logOut(csrf_token),
    onSuccess: async () => {
      await navigate({ to: '/login' });
      queries.clear();
    },
  });
  return (
    <>
      <Text size="sm" c="dimmed" visibleFrom="sm" truncate maw={200}>
        {account.name}
      </Text>
      <Menu position="bottom-end" withinPortal={false}>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label="Account menu">
            <PersonIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            {account.name}, {account.mode} mode
          </Menu.Label>
          <Menu.Label>
            Key {key.name}: {key.scopes.join(', ')}
          </Menu.Label>
          <Menu.Divider />
          <Menu.Item component="a" href="/docs">
            Documentation
          </Menu.Item>
          <Menu.Item onClick={() => leave.mutate()}>Log out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {leave.error && (
        <Modal opened onClose={leave.reset} title="Log out" closeButtonProps={{ 'aria-label': 'Close' }}>
          <FailureAlert error={leave.error} retry={() => leave.mutate()} />
        </Modal>
      )}
    </>
  );
}

function PersonIcon() {
  return (
    <svg
      width="18"
      height="18"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      aria-hidden="true"
    >
      <circle cx="12" cy="8" r="4" />
      <path d="M4 21c0-4 3.6-7 8-7s8 3 8 7" />
    </svg>
  );
}
