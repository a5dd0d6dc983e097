import { AppShell, Burger, Group, ScrollArea, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet } from '@tanstack/react-router';
import { AccountMenu } from './account-menu.tsx';
import { Navigation } from './navigation.tsx';
import { SearchBox } from './search-box.tsx';

/** What stands around every page: the ways to all lists, the search, the account. */
export function AppFrame() {
  const [isOpen, menu] = useDisclosure(false);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 200, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <AppShell.Header>
        <Group h="100%" px="sm" gap="sm" wrap="nowrap">
          <Burger
            opened={isOpen}
            onClick={menu.toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label="Menu"
            aria-expanded={isOpen}
          />
          <UnstyledButton component={Link} to="/" visibleFrom="sm" w={180}>
            <Text fw={700}>Meterbook</Text>
          </UnstyledButton>
          <SearchBox />
          <Group flex="0 0 auto" wrap="nowrap" justify="flex-end" ml="auto">
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label="Main" p="xs" visibleFrom={isOpen ? undefined : 'sm'}>
        <ScrollArea>
          <Navigation onChoose={menu.close} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
