# One image for all four processes and the commands; docker-compose.yml says which one a container runs.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
FROM ${NODE_IMAGE} AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
RUN npm ci --ignore-scripts
COPY api/openapi.json api/
COPY console console
RUN node console/build/main.ts

FROM ${NODE_IMAGE}
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
# Production dependencies only, none of which has an install script: the local stack's engines and what builds the console are devDependencies.
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY . .
COPY --from=console /app/console/dist console/dist
# The code is root's and read-only to the process, which keeps nothing on its own disk.
RUN install -d -o node -g node /backups
USER node
EXPOSE 8080
CMD ["node", "ingest/main.ts"]
