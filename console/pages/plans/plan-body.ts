/** The body that would make a plan as a version is. */
export function bodyOfVersion(version: Record<string, unknown>): Record<string, unknown> {
  const { plan_id, version: _version, version_id, status, created_at, ...body } = version;
  return body;
}
