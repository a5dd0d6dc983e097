import { Button, Container, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { logIn, sessionQuery } from '../api/session.ts';
import { FailureAlert } from '../parts/failure-alert.tsx';
import { useTitle } from '../parts/page-head.tsx';
import { ownPath } from './own-path.ts';

/** Takes an API key and begins a session with it; the key itself is kept nowhere. */
export function LoginPage() {
  useTitle('Log in');
  const [apiKey, setApiKey] = useState('');
  const { next } = useSearch({ strict: false }) as { next?: string };
  const router = useRouter();
  const queries = useQueryClient();
  const login = useMutation({
    mutationFn: () => logIn(apiKey.trim()),
    onSuccess: (session) => {
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, session);
      router.history.replace(ownPath(next));
    },
  });
  return (
    <Container component="main" size={420} pt={{ base: 'xl', sm: 100 }}>
      <Title order={1} size="h3" mb="md">
        Log in
      </Title>
      <Paper withBorder p="lg">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            login.mutate();
          }}
        >
          <Stack>
            <TextInput
              label="API key"
              description="Its scopes decide what you see and may do."
              type="password"
              autoComplete="current-password"
              autoFocus
              required
              withAsterisk={false}
              value={apiKey}
              onChange={(event) => setApiKey(event.currentTarget.value)}
            />
            {login.error && <FailureAlert error={login.error} />}
            <Button type="submit" loading={login.isPending}>
              Log in
            </Button>
          </Stack>
        </form>
      </Paper>
      <Text size="sm" c="dimmed" mt="sm">
        A session ends after two hours unused, twelve in all. A page that keeps itself up to date uses it while it is in
        view.
      </Text>
    </Container>
  );
}
