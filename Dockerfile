# One image for all four processes and the commands; docker-compose.yml says which one a container runs.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
FROM ${NODE_IMAGE} AS pages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
COPY docs/site/package.json docs/site/
COPY sdk/typescript/package.json sdk/typescript/
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY api/openapi.json api/
COPY build build
COPY console console
COPY docs docs
RUN node build/main.ts

FROM ${NODE_IMAGE}
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
COPY docs/site/package.json docs/site/
COPY sdk/typescript/package.json sdk/typescript/
# Production dependencies only, none of which has an install script: the local stack's engines and what builds the pages are devDependencies.
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY . .
COPY --from=pages /app/console/dist console/dist
COPY --from=pages /app/docs/site/dist docs/site/dist
# The code is root's and read-only to the process, which keeps nothing on its own disk.
RUN install -d -o node -g node /backups
USER node
EXPOSE 8080
CMD ["node", "ingest/main.ts"]
