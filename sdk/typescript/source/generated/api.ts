// Made of api/openapi.json by npm run openapi.

export interface paths {
    "/api/track": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Track a usage event
         * @description Answers once the event is stored. A repeated idempotency_id is counted once, for ever. The body may be compressed by gzip or zstd. Needs the scope events:write.
         */
        post: operations["trackEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The account at a glance: recurring revenue, invoices, receivables, events, what closes next
         * @description Days are of UTC, from start to before end, 366 at most; without them the last 30, with today. Needs the scope read.
         */
        get: operations["retrieveOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find a record by its id, its number or its name
         * @description What has that very id or number comes first, then customers by beginnings of words, then plans, add-ons and metrics by a part of their name. Needs the scope read.
         */
        get: operations["searchRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the account's settings
         * @description Needs the scope read.
         */
        get: operations["retrieveAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the account's settings
         * @description Invoices made from then on follow them; a new currency is the default of new customers and plans. Needs the scope admin.
         */
        patch: operations["updateAccount"];
        trace?: never;
    };
    "/api/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys, newest first
         * @description Revoked and expired ones are listed too; the keys themselves are not told. Needs the scope admin.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The answer tells the key this once. Without scopes it has all of them. Needs the scope admin.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/api-keys/{key_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace an API key by a new one
         * @description The new key has the name, scopes and expiry of the old one, which works for overlap_seconds more (default 0). Needs the scope admin.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/api-keys/{key_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke an API key
         * @description It stops working within 5 seconds everywhere. A key that is revoked already stays as it is. The last one with scope admin is revoked only with force: without it only the operator can make keys. Needs the scope admin.
         */
        post: operations["revokeApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/customers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List customers, newest first unless sorted
         * @description Needs the scope read.
         */
        get: operations["listCustomers"];
        put?: never;
        /**
         * Create a customer
         * @description The id is the caller's own and can never be used again. Currency and time zone decide how periods and invoices are counted. Needs the scope write. Also accepted: name for customer_name.
         */
        post: operations["createCustomer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/customers/{customer_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a customer with its live subscriptions, newest invoices and total due
         * @description Needs the scope read.
         */
        get: operations["retrieveCustomer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a customer
         * @description A new tax rate counts from the next invoice, a new time zone for periods not yet started. The currency stays once there is a live subscription or an invoice, the test clock once there is a subscription, an invoice or a credit. Needs the scope write. Also accepted: name for customer_name.
         */
        patch: operations["updateCustomer"];
        trace?: never;
    };
    "/api/customers/{customer_id}/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete a customer and erase its personal data and usage events
         * @description Its subscriptions end at once and without an invoice; invoices that exist, and the ledger, stay. Its id stays taken. Usage events are erased by a workflow, also those that arrive later. Needs the scope write.
         */
        post: operations["deleteCustomer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/customers/{customer_id}/draft_invoice": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the next boundary would invoice now; computed as the final invoice is, and nothing is written
         * @description For all live subscriptions, credits included; invoices has it by subscription, as_of says up to when usage is in it. It may change until the period ends. With a planned switch the lines that its new subscription will have name the old one, which is there. Needs the scope read.
         */
        get: operations["retrieveDraftInvoice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/customers/{customer_id}/draft_invoice/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How a line of a customer's draft comes about: its metric and window, the arithmetic, and the events counted so far
         * @description As the explanation of an issued line, with null ids; it counts what has landed. The line is named by its subscription and metric. Needs the scope read.
         */
        get: operations["explainDraftLine"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/customers/{customer_id}/cost_analysis": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A customer's revenue, cost and margin by day
         * @description Days are the customer's, end_date is inclusive, 366 days at most; without dates the last 30 days. Revenue is without tax: fees and prepaid units evenly over their period, usage on the days that caused it, one-time charges on their day; what is not billed yet as the draft invoice has it. Over whole periods it adds up to the invoices' subtotals. Needs the scope read.
         */
        get: operations["retrieveCostAnalysis"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/customers/{customer_id}/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was posted for a customer, newest first: double entries that sum to zero
         * @description Debits are positive. What the customer owes is the sum of its accounts_receivable entries. Needs the scope read.
         */
        get: operations["listLedgerTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/customers/{customer_id}/portal_link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link by which a customer sees its own usage and invoices
         * @description Whoever has the link sees what it shows, without a log-in, until it expires or is revoked: send it to the customer alone. Its address is told this once. Needs the scope write.
         */
        post: operations["createPortalLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/customers/{customer_id}/portal_links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a customer's portal links, newest first
         * @description Those that have expired or were revoked among them; their addresses are told by none. Needs the scope read.
         */
        get: operations["listPortalLinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/customers/{customer_id}/portal_links/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a customer's portal links, or one of them
         * @description They are of no use from the next request on. Those that have expired, or were revoked before, do not count. Needs the scope write.
         */
        post: operations["revokePortalLinks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/verify-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell which usage events were received
         * @description Exact at the moment of asking: it waits until everything accepted before has landed. Needs the scope read.
         */
        post: operations["verifyEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List usage events, newest time_created first unless sorted
         * @description start is inclusive, end exclusive; a date is the start of that day in the zone of the customer, else UTC. Needs the scope read.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events/trace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What became of an event: whether it landed, which metrics count it, and where it is billed
         * @description An event that no sender was told was accepted is 404. Needs the scope read.
         */
        get: operations["traceEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ingestion/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare the events accepted with what became of them
         * @description By time of receipt, over whole hours: start is taken down and end up to the hour; a date is the start of that day in UTC. accepted = landed + repeated + dead_lettered + missing. Waits until everything accepted before the question has been audited. Needs the scope read.
         */
        get: operations["auditIngestion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List metrics, newest first
         * @description Needs the scope read.
         */
        get: operations["listMetrics"];
        put?: never;
        /**
         * Create a metric
         * @description It counts events, or the sum, maximum or distinct values of a property, of those that its filters let through. Needs the scope write. Also accepted: name for metric_name, aggregation for aggregation_type, usage_aggregation_type for aggregation_type, property for property_name, event_filter.event_name for event_name.
         */
        post: operations["createMetric"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/metrics/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a metric would count, tried on events that have landed, before it is made
         * @description Over all customers unless one is named; then dates and the time filter are of its zone, else of UTC. Nothing is made. Needs the scope read. Also accepted: name for metric_name, aggregation for aggregation_type, usage_aggregation_type for aggregation_type, property for property_name, event_filter.event_name for event_name.
         */
        post: operations["previewMetric"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/metrics/{metric_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a metric
         * @description Needs the scope read.
         */
        get: operations["retrieveMetric"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Rename a metric
         * @description Needs the scope write. Also accepted: name for metric_name.
         */
        patch: operations["updateMetric"];
        trace?: never;
    };
    "/api/metrics/{metric_id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a metric that no latest plan version uses
         * @description Needs the scope write.
         */
        post: operations["archiveMetric"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/metrics/{metric_id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A metric's value for a customer, in all or by day, hour and property
         * @description start is inclusive, end exclusive; a date is the start of that day in the time zone of the customer. With group_by the results are the pairs of bucket and group that occur, of each bucket the largest values first; groups are told one by one up to limit, the rest of a bucket is its last row, with `other: true`. Needs the scope read.
         */
        get: operations["retrieveMetricUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List plans in their latest versions, newest first
         * @description Needs the scope read.
         */
        get: operations["listPlans"];
        put?: never;
        /**
         * Create a plan
         * @description A fee each period, components that price usage by metric, and features. All are optional: without a fee it is usage only, without components it is flat. overage_price alone prices each unit beyond the free tier; tiers or a package_size need their pricing_model. Needs the scope write. Also accepted: payment_timing for charge_timing.
         */
        post: operations["createPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/plans/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a plan would bill for a period with some usage, before it is made
         * @description The invoice of a whole period in the middle of a subscription, by the code that bills: the fee, units paid ahead, and usage beyond them, with the arithmetic of each line. Tax, credits and add-ons are not in it. Nothing is made. Needs the scope read. Also accepted: payment_timing for charge_timing.
         */
        post: operations["previewPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/plans/{plan_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a plan in its latest version
         * @description Needs the scope read.
         */
        get: operations["retrievePlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Make the next version of a plan
         * @description Subscriptions stay on the version they started on. A body without fields makes no version. Needs the scope write. Also accepted: payment_timing for charge_timing.
         */
        patch: operations["updatePlan"];
        trace?: never;
    };
    "/api/plans/{plan_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a plan's versions, newest first
         * @description Needs the scope read.
         */
        get: operations["listPlanVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/plans/{plan_id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a plan: it takes no new subscriptions
         * @description Those that are there go on, and a switch to it that is planned already is still made. Needs the scope write.
         */
        post: operations["archivePlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/addons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List add-ons, newest first
         * @description Needs the scope read.
         */
        get: operations["listAddons"];
        put?: never;
        /**
         * Create an add-on
         * @description `one_time` is charged once, `recurring` every period, `quantity` every period by price times quantity. Needs the scope write.
         */
        post: operations["createAddon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/addons/{addon_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an add-on
         * @description Needs the scope read.
         */
        get: operations["retrieveAddon"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the name or the price of an add-on
         * @description Invoices made from then on charge the new price, also where the add-on is attached already. Needs the scope write.
         */
        patch: operations["updateAddon"];
        trace?: never;
    };
    "/api/addons/{addon_id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive an add-on: it can no longer be attached
         * @description Subscriptions that have it attached keep it, and are charged for it. Needs the scope write.
         */
        post: operations["archiveAddon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/coupons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List coupons, newest first
         * @description Needs the scope read.
         */
        get: operations["listCoupons"];
        put?: never;
        /**
         * Create a coupon
         * @description Takes a percentage, or at most an amount, off the invoices of subscriptions that redeem it. Needs the scope write.
         */
        post: operations["createCoupon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/coupons/{coupon_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a coupon
         * @description Needs the scope read.
         */
        get: operations["retrieveCoupon"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the name of a coupon, and how often and until when it may be redeemed
         * @description What it takes off stays: make another coupon for that. Needs the scope write.
         */
        patch: operations["updateCoupon"];
        trace?: never;
    };
    "/api/coupons/{coupon_id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a coupon: it can no longer be redeemed
         * @description Discounts that were redeemed go on, and its code is free for another coupon. Needs the scope write.
         */
        post: operations["archiveCoupon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/metric-access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether a customer may use what a metric measures
         * @description By the customer's active and paused subscriptions: there is access where a plan bills the metric, or where a feature's limit for it is not reached. A switch, pause or cancel shows at once, a tracked event within a second. Needs the scope read.
         */
        get: operations["checkMetricAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/feature-access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether a customer has a feature
         * @description The feature is named by feature_name or feature_id. By the customer's active and paused subscriptions: there is access where a plan includes the feature and, if it has a limit that a metric measures, the limit is not reached. A switch, pause or cancel shows at once, a tracked event within a second. Needs the scope read.
         */
        get: operations["checkFeatureAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/customers/{customer_id}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List whether a customer may use each thing that its plans name
         * @description Features first, then metrics, in the order of the plans of its active and paused subscriptions, oldest subscription first. Each is answered as a check of it alone is. Needs the scope read.
         */
        get: operations["listCustomerAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List subscriptions, newest first unless sorted
         * @description Needs the scope read.
         */
        get: operations["listSubscriptions"];
        put?: never;
        /**
         * Subscribe a customer to a plan
         * @description It is active at once, or pending until a later start_date; a start up to one period back counts usage since then. What is due at the very start (a fee in advance, prepaid units) is on an opening invoice. Needs the scope write. With `preview=true` it is not done, and answered 200 with a `ChangePreview`.
         */
        post: operations["createSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/subscriptions/{subscription_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a subscription
         * @description Needs the scope read.
         */
        get: operations["retrieveSubscription"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change whether a subscription renews, when its trial ends, or its metadata
         * @description The closing of a period reads them with the subscription locked; `metadata` is replaced as a whole. Needs the scope write.
         */
        patch: operations["updateSubscription"];
        trace?: never;
    };
    "/api/subscriptions/{subscription_id}/phases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace what is agreed on for later dates
         * @description A phase of another plan is a switch on its date; one of the same plan changes the subscription from the first billing period that starts on or after it. What a phase does not say is not carried over from the one before but the plan. Needs the scope write. With `preview=true` it is not done, and answered 200 with a `ChangePreview`.
         */
        put: operations["replacePhases"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/subscriptions/{subscription_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a subscription now or later, or withdraw a planned cancel
         * @description `cancel_at` is `immediately` (default), `end_of_period` or a date; null withdraws a planned cancel. In arrears `flat_fee_behavior` bills the used days, all, or none of the fee; in advance it gives back the remaining days, nothing, or all of it. Needs the scope write. Also accepted: effective_date for cancel_at. With `preview=true` it is not done, and answered 200 with a `ChangePreview`.
         */
        post: operations["cancelSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/subscriptions/{subscription_id}/switch_plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Switch to another plan now or later, or withdraw a planned switch
         * @description The old subscription ends as `canceled` and a new one takes its place. With the same billing period and timing it keeps the period, and the rest of it is charged or credited pro rata; else the old period is closed. An `effective_date` up to the period's end plans the switch, null withdraws it; it is then made to the version that is the plan's latest by then, also where the plan has been archived meanwhile. A credit is never more than was charged for the period: it may be less than `proration` says where the invoice of its fee was voided or is uncollectible. Needs the scope write. With `preview=true` it is not done, and answered 200 with a `ChangePreview`.
         */
        post: operations["switchPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/subscriptions/{subscription_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause an active subscription
         * @description Until it is resumed, by a call or at `resumes_at`, no invoice is made; usage in the pause is never billed and its days cost no fee. Needs the scope write. With `preview=true` it is not done, and answered 200 with a `ChangePreview`.
         */
        post: operations["pauseSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/subscriptions/{subscription_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused subscription
         * @description Periods that ended in the pause are invoiced now, one invoice each, none where nothing is due. Needs the scope write. With `preview=true` it is not done, and answered 200 with a `ChangePreview`.
         */
        post: operations["resumeSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/subscriptions/{subscription_id}/components/change-prepaid-units": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the prepaid units of a metric, from the current period on
         * @description What more units cost is on the next invoice, or with `invoice_now` on one of its own; what fewer units cost less is an overpayment credit. The units last until they are changed again. Needs the scope write. With `preview=true` it is not done, and answered 200 with a `ChangePreview`.
         */
        post: operations["changePrepaidUnits"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/subscriptions/{subscription_id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the past and planned steps of a subscription, newest first
         * @description Starts, renewals, invoices, pauses, switches and the end: what was done, and what is planned. After the end also late_usage that no invoice has taken yet. Needs the scope read.
         */
        get: operations["retrieveSubscriptionTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/subscriptions/{subscription_id}/workflow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Which workflow carries a subscription, and where to look at it
         * @description What the workflow has done stays there for as long as Temporal keeps what has ended. Needs the scope read.
         */
        get: operations["retrieveSubscriptionWorkflow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/subscriptions/{subscription_id}/addons/attach": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Attach an add-on, or change the quantity of an attached one
         * @description Charged without proration: `one_time` once on the next invoice, the others from the current period on. The last quantity before an invoice counts. Needs the scope write. With `preview=true` it is not done, and answered 200 with a `ChangePreview`.
         */
        post: operations["attachAddon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/subscriptions/{subscription_id}/addons/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an attached add-on
         * @description It is not charged from the next period on; a `one_time` add-on not yet invoiced is dropped. Needs the scope write. With `preview=true` it is not done, and answered 200 with a `ChangePreview`.
         */
        post: operations["cancelAddon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/subscriptions/{subscription_id}/discounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the discounts of a subscription, newest first
         * @description Needs the scope read.
         */
        get: operations["listDiscounts"];
        put?: never;
        /**
         * Redeem a coupon for a subscription
         * @description Its invoices from then on are lowered, after limits and before tax, in the order of redemption. Needs the scope write.
         */
        post: operations["createDiscount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/subscriptions/{subscription_id}/discounts/{discount_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a discount: later invoices are not lowered
         * @description Needs the scope write.
         */
        delete: operations["deleteDiscount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices/parity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where issued invoices come out otherwise when computed again; empty where all is well
         * @description Every night issued invoices are computed again from their events, up to the position each line was counted to, and their plan versions. Usage of deleted customers is gone and is not counted again. An entry goes when a later check no longer finds it. Needs the scope read.
         */
        get: operations["listParityDifferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices/{invoice_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an invoice by its id or its number
         * @description Needs the scope read.
         */
        get: operations["retrieveInvoice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices/{invoice_id}/pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an invoice as a PDF document
         * @description The same invoice gives the same bytes until a payment, refund, credit or void changes it. Needs the scope read.
         */
        get: operations["retrieveInvoicePdf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invoices, newest first unless sorted
         * @description Needs the scope read.
         */
        get: operations["listInvoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices/{invoice_id}/lines/{line_id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How a line came about: its metric and window, the arithmetic step by step, and the events it counted
         * @description The value of the last step is the amount of the line. Events are those that were counted when the invoice was made, in the order of their receipt; next leads on through them. Events of an erased customer are gone, the arithmetic stays. Needs the scope read.
         */
        get: operations["explainInvoiceLine"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices/{invoice_id}/mark_paid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record that the caller has collected what is due
         * @description For callers who collect payment themselves, after the event invoice.created. Needs the scope write. With `preview=true` it is not done, and answered 200 with a `ChangePreview`.
         */
        post: operations["markInvoicePaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices/{invoice_id}/pay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Collect what is due now, through the payment processor of the customer
         * @description Answers with the invoice after the attempt: `paid` where the money is here, unchanged where the payment was declined (`subscription.failed` tells it), is still worked on, or waits for the customer to act. A try that waits for the customer is taken back by the next one. Needs the scope write.
         */
        post: operations["payInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices/{invoice_id}/void": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Void an invoice that is not paid, and give back the credits it used
         * @description Its amounts stay as they were issued; nothing of them is due any more. Needs the scope write. With `preview=true` it is not done, and answered 200 with a `ChangePreview`.
         */
        post: operations["voidInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invoices/{invoice_id}/mark_uncollectible": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give up collecting an open invoice
         * @description It stays due, and can still be paid or voided. Needs the scope write. With `preview=true` it is not done, and answered 200 with a `ChangePreview`.
         */
        post: operations["markInvoiceUncollectible"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/credits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List credits, newest first unless sorted
         * @description Needs the scope read.
         */
        get: operations["listCredits"];
        put?: never;
        /**
         * Give a customer credit on its next invoices
         * @description Applied to the next invoices by itself, earliest expiry first; what is left over carries forward. Needs the scope write. With `preview=true` it is not done, and answered 200 with a `ChangePreview`.
         */
        post: operations["createCredit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/credits/{credit_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a credit
         * @description Needs the scope read.
         */
        get: operations["retrieveCredit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/credits/{credit_id}/update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the expiry (null: never) or the description of an active credit
         * @description Needs the scope write.
         */
        post: operations["updateCredit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/credits/{credit_id}/void": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Void an active credit: what is left of it is gone, what was applied stays
         * @description Invoices that it was applied to stay as they are. Needs the scope write. With `preview=true` it is not done, and answered 200 with a `ChangePreview`.
         */
        post: operations["voidCredit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/refunds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List refunds, newest first unless sorted
         * @description Needs the scope read.
         */
        get: operations["listRefunds"];
        put?: never;
        /**
         * Give back money that was paid for an invoice
         * @description All that is left of it unless `amount` says less. `original_payment` (default where a processor took the money) goes back through the processor, `bank_transfer` waits until it is completed by hand, `store_credit` (default elsewhere) is a credit at once. One that fails may be asked for again; where it was the refund of a cancel, store credit takes its place by itself. Needs the scope write. With `preview=true` it is not done, and answered 200 with a `ChangePreview`.
         */
        post: operations["createRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/refunds/{refund_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a refund
         * @description Needs the scope read.
         */
        get: operations["retrieveRefund"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/refunds/{refund_id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record that a bank transfer has been made
         * @description Needs the scope write.
         */
        post: operations["completeRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/refunds/{refund_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call off a bank transfer that has not been made
         * @description Needs the scope write.
         */
        post: operations["cancelRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/payment-providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the payment processors and whether they are connected
         * @description Needs the scope admin.
         */
        get: operations["listPaymentProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/payment-providers/{provider}/connect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to connect a payment processor
         * @description Send the owner of the account at the processor to `authorization_url`. The processor sends it back to us, and we to `redirect_url`, with `connected=<provider>` or `error=<reason>`. The URL works once, within 10 minutes. Connecting again replaces the connection. Needs the scope admin.
         */
        post: operations["connectPaymentProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/payment-providers/{provider}/disconnect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disconnect a payment processor and forget its tokens
         * @description Gives the grant back to the processor. Nothing is collected through it any more; what is being collected at this moment can no longer be followed. Needs the scope admin.
         */
        post: operations["disconnectPaymentProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/test-clocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List test clocks, newest first
         * @description Needs the scope read.
         */
        get: operations["listTestClocks"];
        put?: never;
        /**
         * Create a test clock, on which customers can live
         * @description A customer created with test_clock_id lives in its time: nothing falls due until the clock is advanced. Needs the scope write.
         */
        post: operations["createTestClock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/test-clocks/{test_clock_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a test clock; while it advances, its frozen_time moves from one due instant to the next
         * @description Needs the scope read.
         */
        get: operations["retrieveTestClock"];
        put?: never;
        post?: never;
        /**
         * Delete a test clock
         * @description Refused while a customer on it has a live subscription. Its customers stay, with their records, in its last frozen_time; a change to one of them is refused from then on. Needs the scope write.
         */
        delete: operations["deleteTestClock"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/test-clocks/{test_clock_id}/advance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Advance a test clock: everything due up to the new time happens, then it is ready again
         * @description Answers at once, with status advancing. A clock that failed can be advanced again; it tries anew. Needs the scope write.
         */
        post: operations["advanceTestClock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints, newest first
         * @description Needs the scope admin.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Have events sent to a URL
         * @description Deliveries follow Standard Webhooks: verify `webhook-signature` with `webhook_secret`, which is shown this once. An event may arrive more than once, always with the same `webhook-id`. Needs the scope admin.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{webhook_endpoint_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a webhook endpoint
         * @description Needs the scope admin.
         */
        get: operations["retrieveWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint with its deliveries
         * @description Needs the scope admin.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint, disable it or enable it again
         * @description A disabled endpoint is told nothing, and what was pending for it fails; redeliver sends it after all. Needs the scope admin.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/api/webhooks/{webhook_endpoint_id}/roll-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace an endpoint's secret
         * @description For `overlap_seconds` more, deliveries are signed by the old secret too. Of two that still overlap only the newer one stays. Needs the scope admin.
         */
        post: operations["rollWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{webhook_endpoint_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event of type webhook.test to an endpoint
         * @description Whatever its triggers. Answers with the delivery; the list of deliveries shows what came of it. Needs the scope admin.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{webhook_endpoint_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an endpoint's deliveries, newest first
         * @description One per event, with every attempt. Needs the scope admin.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{webhook_endpoint_id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a delivery with its attempts and the body that is sent
         * @description `body` has every byte that is sent, and signed. Needs the scope admin.
         */
        get: operations["retrieveWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{webhook_endpoint_id}/deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again now
         * @description The same event, with the same `webhook-id`; where it fails, the schedule of retries begins anew. Needs the scope admin.
         */
        post: operations["redeliverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhook-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of all endpoints, newest first
         * @description One per event and endpoint, with every attempt. Needs the scope admin.
         */
        get: operations["listAllWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was changed, by whom and from where, newest first
         * @description An entry for each call that changes something, and for what the service does by itself. start is inclusive, end exclusive. Needs the scope admin.
         */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Track a batch of usage events
         * @description Up to 10,000 events in up to 8 MiB, as JSON or an event a line, plain or compressed by gzip or zstd (`Content-Encoding`). Answers once the good ones are stored, each judged by itself, also where all are bad. A repeated idempotency_id is counted once, for ever. Needs the scope events:write.
         */
        post: operations["trackEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Track CloudEvents, or an event of Lago
         * @description CloudEvents 1.0 as OpenMeter takes them: one in structured or binary mode, or a batch of up to 10,000; 204 once they are stored. Bad ones of a batch are told with 422, the others are stored. Also Lago's `{"event": {...}}`, answered 200 as Lago does. Needs the scope events:write.
         */
        post: operations["trackCloudEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Track a batch of events of Lago
         * @description Up to 10,000 events as Lago takes them, answered as Lago does once they are stored. Bad ones are told with 422 by their index, the others are stored. Needs the scope events:write.
         */
        post: operations["trackLagoBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/payment-providers/{provider}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Finish to connect a payment processor
         * @description Where the processor sends the browser back to after `authorization_url`; it needs no key, the state is the proof. Name this URL as a redirect URI where your application is registered at the processor.
         */
        get: operations["finishPaymentProviderConnection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take an event of a payment processor
         * @description Name this URL as the webhook endpoint at the processor; it needs no key, the signature over the body is the proof. An event only says what to look at: the processor is then asked how things stand, so repeats and any order do no harm.
         */
        post: operations["receiveProcessorEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "subscription.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of subscription.created
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveSubscriptionCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.activated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of subscription.activated
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveSubscriptionActivated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.trial_will_end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of subscription.trial_will_end
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveSubscriptionTrialWillEnd"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.trial_ended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of subscription.trial_ended
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveSubscriptionTrialEnded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.renewed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of subscription.renewed
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveSubscriptionRenewed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.plan_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of subscription.plan_changed
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveSubscriptionPlanChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.paused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of subscription.paused
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveSubscriptionPaused"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.resumed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of subscription.resumed
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveSubscriptionResumed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.canceled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of subscription.canceled
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveSubscriptionCanceled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of subscription.failed
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveSubscriptionFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of invoice.created
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveInvoiceCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.paid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of invoice.paid
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveInvoicePaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.voided": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of invoice.voided
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveInvoiceVoided"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.past_due": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of invoice.past_due
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveInvoicePastDue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "refund.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of refund.created
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveRefundCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "refund.succeeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of refund.succeeded
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveRefundSucceeded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "credit.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tells of credit.created
         * @description Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
         */
        post: operations["receiveCreditCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        ErrorBody: {
            /**
             * @description What is wrong and what to do, for people.
             * @example No such customer acme.
             */
            detail: string;
            /**
             * @description Machine-readable and stable.
             * @example not_found
             */
            code: string;
            /**
             * @description The X-Request-Id of the answer.
             * @example req_01jd3k9x
             */
            request_id: string;
        };
        FieldErrors: {
            [key: string]: string[];
        };
        /**
         * @example {
         *       "code": "USD",
         *       "name": "US Dollar",
         *       "symbol": "$"
         *     }
         */
        Currency: {
            /**
             * @description ISO 4217 code, in upper case.
             * @example USD
             */
            code: string;
            /**
             * @description Name of the currency.
             * @example US Dollar
             */
            name: string;
            /**
             * @description Symbol of the currency.
             * @example $
             */
            symbol: string;
        };
        Address: {
            /**
             * @description Street and number.
             * @example Main Street 1
             */
            line1?: string;
            /**
             * @description City.
             * @example Berlin
             */
            city?: string;
            /**
             * @description State or region.
             * @example BE
             */
            state?: string;
            /**
             * @description Postal code.
             * @example 10115
             */
            postal_code?: string;
            /**
             * @description Country.
             * @example DE
             */
            country?: string;
        };
        Subscription: {
            /**
             * @description Id of a subscription.
             * @example sub_01jd3k9x
             */
            subscription_id: string;
            /**
             * @description Who subscribes.
             * @example acme
             */
            customer_id: string;
            /**
             * @description The plan that it is on.
             * @example plan_01jd3k9x
             */
            plan_id: string;
            /**
             * @description The version of the plan that it is on.
             * @example 1
             */
            version: number;
            /**
             * @description Id of that version.
             * @example planv_01jd3k9x
             */
            version_id: string;
            /**
             * @description ISO 4217 code of what it is billed in, in lower case.
             * @example usd
             */
            currency: string;
            /** @description What is agreed on instead of what the plan says; null: nothing. */
            overrides: components["schemas"]["PlanOverrides"] | null;
            /**
             * @description pending: not begun; active; paused: nothing is billed; canceled and expired: it has ended.
             * @example active
             * @enum {string}
             */
            status: "pending" | "active" | "paused" | "canceled" | "expired";
            /**
             * Format: date
             * @description First day, in the customer's time zone.
             * @example 2026-11-20
             */
            start_date: string;
            /**
             * @description Days of its trial; null: it has none.
             * @example null
             */
            trial_days: number | null;
            /**
             * Format: date
             * @description The day on which its trial ends, or ended, and billing periods begin; null: it has none.
             * @example null
             */
            trial_ends_at: string | null;
            /**
             * Format: date
             * @description The day on which the subscription ends by plan; null: none is planned.
             * @example null
             */
            end_date: string | null;
            /**
             * @description Whether another period follows; if not, the subscription expires at the end of the current one.
             * @example true
             */
            auto_renew: boolean;
            /**
             * @description Length of a period: monthly is 30 days, quarterly 90, annual 365.
             * @example monthly
             * @enum {string}
             */
            billing_period: "monthly" | "quarterly" | "annual";
            /**
             * @description Whether the recurring fee is charged at the end (in_arrears) or the start (in_advance) of a period.
             * @example in_arrears
             * @enum {string}
             */
            charge_timing: "in_arrears" | "in_advance";
            /**
             * Format: date-time
             * @description Where the current billing period begins.
             * @example 2026-11-20T00:00:00.000Z
             */
            current_period_start: string | null;
            /**
             * Format: date-time
             * @description Where the current billing period ends, exclusive.
             * @example 2026-12-20T00:00:00.000Z
             */
            current_period_end: string | null;
            /**
             * Format: date-time
             * @description Where that begins which components bill next: the billing period, or with usage_period monthly the month.
             * @example 2026-11-20T00:00:00.000Z
             */
            current_usage_period_start: string | null;
            /**
             * Format: date-time
             * @description Where it ends, exclusive.
             * @example 2026-12-20T00:00:00.000Z
             */
            current_usage_period_end: string | null;
            /**
             * @description What a day of the current period is a part of: its days; of a shorter first one of a calendar, those of the whole one.
             * @example 30
             */
            days_in_period: number;
            /**
             * Format: date-time
             * @description When a planned cancel happens; null where none is planned.
             * @example null
             */
            cancel_at: string | null;
            /**
             * Format: date-time
             * @description When it ended; null until then.
             * @example null
             */
            canceled_at: string | null;
            /**
             * @description Why it ended: canceled, expired or switched; null until then.
             * @example null
             */
            cancel_reason: string | null;
            /**
             * Format: date-time
             * @description Since when it has been paused; null where it is not.
             * @example null
             */
            paused_at: string | null;
            /** @description A switch that is planned; null where none is. */
            pending_change: {
                /**
                 * @description The plan it switches to.
                 * @example plan_01jd3k9y
                 */
                new_plan_id: string;
                /**
                 * Format: date
                 * @description The day on which it happens.
                 * @example 2026-11-20
                 */
                effective_date: string;
                /**
                 * @description Whether it is billed with the next invoice or now.
                 * @example add_to_next_invoice
                 * @enum {string}
                 */
                invoicing_behavior: "add_to_next_invoice" | "invoice_now";
                /**
                 * @description Whether usage of the whole period is rated by the new plan, or the new one starts at zero.
                 * @example transfer_to_new_subscription
                 * @enum {string}
                 */
                usage_behavior: "transfer_to_new_subscription" | "reset_usage";
                /** @description What is agreed on for then instead of what the plan says; null: nothing. */
                overrides: components["schemas"]["PlanOverrides"] | null;
            } | null;
            /** @description What is agreed on for later dates and has not begun, in their order. */
            phases: {
                /**
                 * Format: date
                 * @description The day from which it holds: of the plan that the subscription is on, from the first billing period after it.
                 * @example 2027-01-01
                 */
                start_date: string;
                /**
                 * @description Another plan to switch to; without it the plan stays.
                 * @example null
                 */
                plan_id: string | null;
                /**
                 * @description Version of the plan; without it the one that the subscription is on, of another plan the newest by then.
                 * @example null
                 */
                version: number | null;
                /** @description What is agreed on instead of what the plan says; without it nothing. */
                overrides: components["schemas"]["PlanOverrides"] | null;
            }[];
            /** @description Add-ons that are attached. */
            addons: components["schemas"]["AddonSubscription"][];
            /** @description Units paid ahead by metric, and what of them is used in the current period. */
            prepaid_units: {
                /**
                 * @description The metric whose units are paid ahead.
                 * @example metric_01jd3k9x
                 */
                metric_id: string;
                /**
                 * @description Units paid ahead each period.
                 * @example 1000
                 */
                units: number;
                /**
                 * @description Units used in the current period.
                 * @example 100
                 */
                used: number;
                /**
                 * @description Units of them that are left in the current period, 0 or more.
                 * @example 900
                 */
                remaining: number;
            }[];
            /**
             * @description The subscription that this one replaced by a switch.
             * @example null
             */
            previous_subscription_id: string | null;
            /**
             * @description The subscription that replaced this one by a switch.
             * @example null
             */
            replaced_by: string | null;
            /**
             * Format: date-time
             * @description When the subscription was made; in clock time on a test clock.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /**
             * @description The caller's own texts: up to 50 keys with values of up to 500 characters.
             * @example {
             *       "team": "growth"
             *     }
             */
            metadata: {
                [key: string]: string;
            };
        };
        PlanOverrides: {
            /**
             * @description The fee of a period instead of that of the plan.
             * @example 19
             */
            recurring_fee?: number;
            /**
             * @description The least that fee, prepaid units and usage of a period come to; what is missing is a true_up line.
             * @example 40
             */
            minimum_amount?: number | null;
            /**
             * @description The most that fee, prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
             * @example 130
             */
            maximum_amount?: number | null;
            /** @description What usage costs instead: components of the plan by their metric. */
            components?: {
                /**
                 * @description A metric that the plan bills.
                 * @example metric_01jd3k9x
                 */
                metric_id: string;
                /**
                 * @description How the billable quantity is priced: with tiers tiered or volume; percentage prices each event of a sum; by default per_unit. Null where only rows have prices.
                 * @example per_unit
                 * @enum {string|null}
                 */
                pricing_model?: "per_unit" | "tiered" | "volume" | "package" | "percentage" | null;
                /**
                 * @description Price of a unit beyond the free tier, up to 12 decimals; with package of one package.
                 * @example 0.002
                 */
                overage_price?: number | null;
                /** @description Bands of quantity with prices of their own, ascending; null with a single price. */
                tiers?: {
                    /**
                     * @description Upper edge of the tier, inclusive; null: no end.
                     * @example 1000
                     */
                    up_to: number | null;
                    /**
                     * @description Price of a unit in the tier.
                     * @example 0.002
                     */
                    unit_price: number;
                    /**
                     * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                     * @example 0
                     */
                    flat_fee: number;
                }[] | null;
                /**
                 * @description Units of a package; each started one is charged.
                 * @example null
                 */
                package_size?: number | null;
                /**
                 * @description With percentage: percent of the value of each event; else null.
                 * @example null
                 */
                percentage?: number | null;
                /**
                 * @description With percentage: charged for each event besides; else null.
                 * @example null
                 */
                fixed_amount?: number | null;
                /**
                 * @description With percentage: what each event costs at least; null: no bound.
                 * @example null
                 */
                per_event_minimum?: number | null;
                /**
                 * @description With percentage: what each event costs at most; null: no bound.
                 * @example null
                 */
                per_event_maximum?: number | null;
                /**
                 * @description The least that prepaid units and usage of a period come to; what is missing is a true_up line.
                 * @example 40
                 */
                minimum_amount?: number | null;
                /**
                 * @description The most that prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                 * @example 130
                 */
                maximum_amount?: number | null;
            }[];
        };
        AddonSubscription: {
            /**
             * @description Id of this attachment of an add-on to a subscription.
             * @example addonsub_01jd3k9x
             */
            addon_subscription_id: string;
            /**
             * @description The add-on that is attached.
             * @example addon_01jd3k9x
             */
            addon_id: string;
            /**
             * @description The subscription that it is attached to.
             * @example sub_01jd3k9x
             */
            subscription_id: string;
            /**
             * @description How many are charged.
             * @example 3
             */
            quantity: number;
            /**
             * @description canceled: it is not charged any more.
             * @example active
             * @enum {string}
             */
            status: "active" | "canceled";
            /**
             * Format: date-time
             * @description When the add-on was attached.
             * @example 2026-11-20T10:00:00.000Z
             */
            attached_at: string;
        };
        Invoice: {
            /**
             * @description Id of the invoice; null on a draft.
             * @example inv_01jd3k9x
             */
            invoice_id: string | null;
            /**
             * @description Number of the invoice, per account, without gaps, in order of issue; null on a draft.
             * @example INV-000001
             */
            invoice_number: string | null;
            /**
             * @description Who pays it.
             * @example acme
             */
            customer_id: string;
            /**
             * @description The subscription that it closes a period of; null where it is of none.
             * @example sub_01jd3k9x
             */
            subscription_id: string | null;
            /**
             * @description What made the invoice: the opening, a period's end, the closing of a subscription, a proration, or a person.
             * @example period
             * @enum {string}
             */
            kind: "opening" | "period" | "closing" | "proration" | "manual";
            /**
             * @description draft: not issued; open: to be paid; void and uncollectible: nothing more is asked for.
             * @example open
             * @enum {string}
             */
            status: "draft" | "open" | "paid" | "void" | "uncollectible";
            /** @description Currency of all amounts of the invoice. */
            currency: components["schemas"]["Currency"];
            /**
             * Format: date
             * @description Date of issue in the customer's time zone.
             * @example 2026-11-20
             */
            issue_date: string;
            /**
             * Format: date
             * @description Last day to pay: the date of issue plus the net terms of the account.
             * @example 2026-11-20
             */
            due_date: string;
            /**
             * Format: date-time
             * @description Start of the period that it closes; null where it closes none.
             * @example 2026-11-20T00:00:00.000Z
             */
            period_start: string | null;
            /**
             * Format: date-time
             * @description End of the period that it closes, exclusive.
             * @example 2026-12-20T00:00:00.000Z
             */
            period_end: string | null;
            /** @description Fee, prepaid units, usage, add-ons, prorations, late usage, true-ups, discounts, credits, in this order. */
            lines: {
                /**
                 * @description Id of the line; null on a draft.
                 * @example line_01jd3k9x
                 */
                line_id: string | null;
                /**
                 * @description Whose line it is: the invoice's customer, or one that is billed to it.
                 * @example acme
                 */
                customer_id: string;
                /**
                 * @description What the line charges or credits.
                 * @example usage
                 * @enum {string}
                 */
                type: "recurring_fee" | "prepaid_units" | "usage" | "addon" | "proration" | "late_usage" | "true_up" | "discount" | "credit";
                /**
                 * @description The line in words, as the invoice shows it.
                 * @example API calls
                 */
                description: string;
                /**
                 * @description The subscription that the line is of; null where it is of none.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string | null;
                /**
                 * @description The plan whose price was charged; null where it was none's.
                 * @example plan_01jd3k9x
                 */
                plan_id: string | null;
                /**
                 * @description The version of that plan.
                 * @example 1
                 */
                version: number | null;
                /**
                 * @description Whether its price is what was agreed on with the subscription instead of the plan's.
                 * @example false
                 */
                overridden: boolean;
                /**
                 * @description The metric that was billed; null on other lines.
                 * @example null
                 */
                metric_id: string | null;
                /**
                 * @description The add-on that was billed; null on other lines.
                 * @example null
                 */
                addon_id: string | null;
                /**
                 * @description The credit that was applied; null on other lines.
                 * @example null
                 */
                credit_id: string | null;
                /**
                 * Format: date-time
                 * @description Start of the time that the line is for; null where it is for none.
                 * @example 2026-11-20T00:00:00.000Z
                 */
                period_start: string | null;
                /**
                 * Format: date-time
                 * @description End of the time that the line is for, exclusive.
                 * @example 2026-12-20T00:00:00.000Z
                 */
                period_end: string | null;
                /**
                 * @description How many; on a usage line the value of the metric.
                 * @example 1
                 */
                quantity: number | null;
                /**
                 * @description What is left of the quantity after rounding and free tier.
                 * @example 50
                 */
                billable_quantity: number | null;
                /**
                 * @description Price of a unit; null where tiers say it.
                 * @example 29
                 */
                unit_price: number | null;
                /**
                 * @description What the line adds to the invoice; below 0 where it takes off.
                 * @example 29
                 */
                amount: number;
                /** @description What fell into which tier, and what it cost; empty without tiers. */
                tiers: {
                    /**
                     * @description Upper edge of the tier, inclusive; null: no end.
                     * @example 1000
                     */
                    up_to: number | null;
                    /**
                     * @description Units that fell into the tier.
                     * @example 50
                     */
                    quantity: number;
                    /**
                     * @description Price of a unit in the tier.
                     * @example 0.002
                     */
                    unit_price: number;
                    /**
                     * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                     * @example 0
                     */
                    flat_fee: number;
                    /**
                     * @description What the units of the tier cost, with its fixed price.
                     * @example 0.1
                     */
                    amount: number;
                }[];
                /**
                 * @description How many events the line was counted from; null on other lines.
                 * @example null
                 */
                events_count: number | null;
                /**
                 * @description What discounts take of the line; each is a line of its own.
                 * @example 0
                 */
                discount_amount: number;
            }[];
            /** @description The parts of a consolidated invoice, one for each subscription that is billed on it; else empty. */
            sections: {
                /**
                 * @description Whose subscription it is.
                 * @example acme-berlin
                 */
                customer_id: string;
                /**
                 * @description The subscription that is billed.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
                /**
                 * @description What made it due.
                 * @example period
                 * @enum {string}
                 */
                kind: "opening" | "period" | "closing" | "proration" | "manual";
                /**
                 * Format: date-time
                 * @description Start of the period that it closes.
                 * @example 2026-11-20T00:00:00.000Z
                 */
                period_start: string | null;
                /**
                 * Format: date-time
                 * @description End of the period that it closes, exclusive.
                 * @example 2026-12-20T00:00:00.000Z
                 */
                period_end: string | null;
                /**
                 * @description Sum of its lines.
                 * @example 29
                 */
                subtotal: number;
            }[];
            /**
             * @description Sum of the lines shown that are charges: all but the credits.
             * @example 29
             */
            charges_subtotal: number;
            /**
             * @description What is taxed: the sum of the lines that are not credits.
             * @example 29
             */
            subtotal: number;
            /**
             * @description What discounts take off: the sum of the discount lines, without its sign.
             * @example 0
             */
            discount_amount: number;
            /**
             * @description Tax in percent, as the customer had it at the issue.
             * @example 0
             */
            tax_rate: number;
            /**
             * @description Tax on the subtotal, rounded once.
             * @example 0
             */
            tax_amount: number;
            /**
             * @description Subtotal and tax, before credits.
             * @example 29
             */
            total: number;
            /**
             * @description Credits applied to the invoice, at most its total.
             * @example 0
             */
            credits_applied: number;
            /**
             * @description What has been paid.
             * @example 0
             */
            amount_paid: number;
            /**
             * @description What has been given back by refunds that succeeded.
             * @example 0
             */
            amount_refunded: number;
            /**
             * @description What is still to be paid: total less credits and payments.
             * @example 29
             */
            amount_due: number;
            /**
             * @description Whether it is open and past its due date.
             * @example false
             */
            past_due: boolean;
            /**
             * Format: date-time
             * @description When it was issued; in clock time for customers on a test clock.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was paid in full; null until then.
             * @example null
             */
            paid_at: string | null;
            /**
             * Format: date-time
             * @description When the invoice was voided; null where it was not.
             * @example null
             */
            voided_at: string | null;
            /** @description Payments, oldest first. */
            payments: {
                /**
                 * @description Id of a payment.
                 * @example pay_01jd3k9x
                 */
                payment_id: string;
                /**
                 * @description How the money came.
                 * @example manual
                 */
                method: string;
                /**
                 * @description What was paid.
                 * @example 29
                 */
                amount: number;
                /**
                 * @description Your own note, or the processor's id of the charge.
                 * @example transfer 4711
                 */
                reference: string | null;
                /**
                 * Format: date-time
                 * @description When the money came.
                 * @example 2026-11-20T10:00:00.000Z
                 */
                paid_at: string;
            }[];
            /** @description The customer's address at the issue; null: none was set. */
            billing_address: components["schemas"]["Address"] | null;
            /**
             * @description The customer's name at the issue.
             * @example Acme Inc.
             */
            customer_name: string;
            /**
             * @description The test clock that the customer lives on; null: real time.
             * @example null
             */
            test_clock_id: string | null;
        };
        Refund: {
            /**
             * @description Id of a refund.
             * @example refund_01jd3k9x
             */
            refund_id: string;
            /**
             * @description The invoice whose payment is given back.
             * @example inv_01jd3k9x
             */
            invoice_id: string;
            /**
             * @description Who gets the money.
             * @example acme
             */
            customer_id: string;
            /**
             * @description What is given back.
             * @example 5
             */
            amount: number;
            /** @description Currency of the amount: that of the invoice. */
            currency: components["schemas"]["Currency"];
            /**
             * @description How the money goes back.
             * @example bank_transfer
             * @enum {string}
             */
            method: "original_payment" | "bank_transfer" | "store_credit";
            /**
             * @description Why money goes back, in your words.
             * @example duplicate
             */
            reason: string | null;
            /**
             * @description More about it, for people.
             * @example null
             */
            description: string | null;
            /**
             * @description pending: the money is on its way.
             * @example succeeded
             * @enum {string}
             */
            status: "pending" | "succeeded" | "failed" | "canceled";
            /**
             * @description The credit that was made of it, with method credit; else null.
             * @example null
             */
            credit_id: string | null;
            /**
             * @description Id of the refund at the processor.
             * @example null
             */
            processor_refund_id: string | null;
            /**
             * Format: date
             * @description When the money should have arrived: 10 business days for original_payment, 3 for bank_transfer.
             * @example null
             */
            expected_by: string | null;
            /**
             * Format: date-time
             * @description When the refund was asked for.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it succeeded, failed or was canceled.
             * @example null
             */
            completed_at: string | null;
        };
        Credit: {
            /**
             * @description Id of a credit.
             * @example credit_01jd3k9x
             */
            credit_id: string;
            /**
             * @description Whose invoices the credit reduces.
             * @example acme
             */
            customer_id: string;
            /**
             * @description What the credit was worth when it was given.
             * @example 10
             */
            amount: number;
            /**
             * @description What of the credit has not been applied yet; 0 once it is voided.
             * @example 10
             */
            amount_remaining: number;
            /** @description Currency of the amounts: that of the customer. */
            currency: components["schemas"]["Currency"];
            /**
             * @description What kind of credit it is.
             * @example service_credit
             * @enum {string}
             */
            reason: "service_credit" | "promotional_credit" | "goodwill_credit" | "overpayment_credit";
            /**
             * @description Why it was given, for people; null: nothing.
             * @example null
             */
            description: string | null;
            /**
             * @description consumed: nothing is left; expired and voided ones are not applied any more.
             * @example active
             * @enum {string}
             */
            status: "active" | "consumed" | "expired" | "voided";
            /**
             * Format: date
             * @description Last day, in the customer's time zone, on which the credit is applied; null: it never expires.
             * @example null
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When the credit was voided; null where it was not.
             * @example null
             */
            voided_at: string | null;
            /**
             * Format: date-time
             * @description When the credit was given; in clock time for customers on a test clock.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /** @description Where the credit went, oldest first. */
            applications: {
                /**
                 * @description The invoice that it reduced.
                 * @example inv_01jd3k9x
                 */
                invoice_id: string;
                /**
                 * @description What the credit was worth when it was given.
                 * @example 10
                 */
                amount: number;
                /**
                 * Format: date-time
                 * @description When it was applied.
                 * @example 2026-11-20T10:00:00.000Z
                 */
                applied_at: string;
            }[];
        };
        ChangePreview: {
            /** @description What the call would answer; ids and numbers that are not there yet are null. */
            result: {
                [key: string]: unknown;
            };
            /** @description The invoices that it would make, in order. */
            invoices: {
                [key: string]: unknown;
            }[];
            /** @description The credits that it would make, in order. */
            credits: {
                [key: string]: unknown;
            }[];
            /** @description The refunds that it would make, in order. */
            refunds: {
                [key: string]: unknown;
            }[];
            /** @description What the customer's draft invoice comes to now. */
            draft_before: {
                /** @description The customer's currency. */
                currency: components["schemas"]["Currency"];
                /**
                 * @description Charges and tax.
                 * @example 11.9
                 */
                total: number;
                /**
                 * @description What is left of the total to be paid after credits.
                 * @example 11.9
                 */
                amount_due: number;
            };
            /** @description What it would come to after the call. */
            draft_after: {
                /** @description The customer's currency. */
                currency: components["schemas"]["Currency"];
                /**
                 * @description Charges and tax.
                 * @example 11.9
                 */
                total: number;
                /**
                 * @description What is left of the total to be paid after credits.
                 * @example 11.9
                 */
                amount_due: number;
            };
        };
        /**
         * @example {
         *       "specversion": "1.0",
         *       "type": "prompt",
         *       "source": "/gateway",
         *       "id": "7",
         *       "subject": "acme",
         *       "time": "2026-11-20T10:00:00Z",
         *       "data": {
         *         "model": "large",
         *         "usage": {
         *           "input": 1800
         *         }
         *       }
         *     }
         */
        CloudEvent: {
            /**
             * @description The version of CloudEvents.
             * @example 1.0
             * @enum {string}
             */
            specversion: "1.0";
            /**
             * @description What happened: `event_name`.
             * @example prompt
             */
            type: string;
            /**
             * @description Who tells of it, without white space. With `id` it is the `idempotency_id`.
             * @example /gateway
             */
            source: string;
            /**
             * @description Its id at the source: `idempotency_id` is source, one space, id, at most 256 characters together. A repeated one is counted once, for ever.
             * @example 7
             */
            id: string;
            /**
             * @description Whose usage it is: `customer_id`; the customer need not exist yet.
             * @example acme
             */
            subject: string;
            /**
             * @description When it happened, UTC where it has no zone; left out: the moment of receipt.
             * @example 2026-11-20T10:00:00Z
             */
            time?: string | null;
            /**
             * @description A media type of JSON.
             * @example application/json
             */
            datacontenttype?: string | null;
            /**
             * @description Its `properties`: members of objects by dotted names, nulls left out, numbers rounded to 18 decimals; no lists.
             * @example {
             *       "model": "large",
             *       "usage": {
             *         "input": 1800
             *       }
             *     }
             */
            data?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Instead of `data`: a JSON object as Base64.
             * @example eyJpbnB1dCI6MTgwMH0=
             */
            data_base64?: string | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "transaction_id": "tx-1",
         *       "code": "tokens",
         *       "external_customer_id": "acme",
         *       "timestamp": 1795168800.25,
         *       "properties": {
         *         "tokens": 1800,
         *         "model": "large"
         *       }
         *     }
         */
        LagoEvent: {
            /**
             * @description Id of the event: `idempotency_id`. A repeated one is counted once, for ever.
             * @example tx-1
             */
            transaction_id: string;
            /**
             * @description What happened: `event_name`.
             * @example tokens
             */
            code: string;
            /**
             * @description Whose usage it is: `customer_id`, as it is.
             * @example acme
             */
            external_customer_id?: string | null;
            /**
             * @description Taken for `customer_id` where there is no `external_customer_id`.
             * @example acme
             */
            external_subscription_id?: string | null;
            /**
             * @description When it happened: Unix seconds, with fractions, or a date-time; left out or null: the moment of receipt.
             * @example 1795168800.25
             */
            timestamp?: number | string | null;
            /**
             * @description What it was: members of objects by dotted names, nulls left out, numbers rounded to 18 decimals; no lists.
             * @example {
             *       "tokens": 1800,
             *       "model": "large"
             *     }
             */
            properties?: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        TakenLagoEvent: {
            /**
             * Format: uuid
             * @description A UUID made of account and id: a repeat has the same.
             * @example d1b0c2a4-5b0e-5b7a-9c1d-3f2e1a0b9c8d
             */
            lago_id: string;
            /**
             * @description As sent.
             * @example tx-1
             */
            transaction_id: string;
            /**
             * @description Always null.
             * @example null
             */
            lago_customer_id: null;
            /**
             * @description As sent.
             * @example acme
             */
            external_customer_id: string | null;
            /**
             * @description As sent.
             * @example tokens
             */
            code: string;
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-11-20T10:00:00.000Z
             */
            timestamp: string;
            /**
             * @description As sent, with every digit.
             * @example {
             *       "tokens": 1800,
             *       "model": "large"
             *     }
             */
            properties: {
                [key: string]: unknown;
            };
            /**
             * @description Always null.
             * @example null
             */
            lago_subscription_id: null;
            /**
             * @description As sent.
             * @example null
             */
            external_subscription_id: string | null;
            /**
             * Format: date-time
             * @description When it came.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
        };
        TrackedEvent: {
            /**
             * @description All of it was accepted.
             * @example all
             * @enum {string}
             */
            success: "all";
            /**
             * @description Id of the event, chosen by the caller. A repeated one is counted once, for ever.
             * @example e-1
             */
            idempotency_id: string;
            /**
             * @description It is on disk, and counts within a second.
             * @example queued
             * @enum {string}
             */
            status: "queued";
        };
        Overview: {
            /**
             * Format: date-time
             * @description Usage accepted up to this time is counted.
             * @example 2026-11-20T10:00:00.000Z
             */
            as_of: string;
            /** @description The account's default currency, and every other one in which there is something. */
            currencies: {
                /** @description What the amounts are in. */
                currency: components["schemas"]["Currency"];
                /**
                 * @description What fees and periodic add-ons of active subscriptions come to in a month; usage is not in it.
                 * @example 165
                 */
                mrr: number;
                /**
                 * @description The sum over the days.
                 * @example 1200
                 */
                invoiced: number;
                /** @description Every day that was asked for, oldest first. */
                invoiced_per_day: {
                    /**
                     * Format: date
                     * @description A day of issue.
                     * @example 2026-11-20
                     */
                    date: string;
                    /**
                     * @description Subtotals of its invoices, without void ones.
                     * @example 40
                     */
                    amount: number;
                }[];
                /** @description What is due of open invoices, by days past due at each customer's today. */
                receivables: {
                    /**
                     * @description Not past due yet.
                     * @example 100
                     */
                    not_due: number;
                    /**
                     * @description Past due for 1 to 30 days.
                     * @example 100
                     */
                    days_1_30: number;
                    /**
                     * @description Past due for 31 to 60 days.
                     * @example 100
                     */
                    days_31_60: number;
                    /**
                     * @description Past due for 61 to 90 days.
                     * @example 100
                     */
                    days_61_90: number;
                    /**
                     * @description Past due for longer.
                     * @example 100
                     */
                    days_over_90: number;
                    /**
                     * @description All of it.
                     * @example 100
                     */
                    total: number;
                    /**
                     * @description Open invoices.
                     * @example 3
                     */
                    count: number;
                };
            }[];
            /** @description Every day that was asked for, oldest first. */
            events_per_day: {
                /**
                 * Format: date
                 * @description A day of UTC.
                 * @example 2026-11-20
                 */
                date: string;
                /**
                 * @description Usage events whose time_created is on this day.
                 * @example 1000
                 */
                events: number;
            }[];
            /**
             * @description Customers that have not been deleted.
             * @example 120
             */
            customers: number;
            /** @description Live subscriptions by their state, now. */
            subscriptions: {
                /**
                 * @description Those that start later.
                 * @example 1
                 */
                pending: number;
                /**
                 * @description Those that run.
                 * @example 110
                 */
                active: number;
                /**
                 * @description Those that are paused.
                 * @example 2
                 */
                paused: number;
            };
            /** @description Payments on the days that were asked for. */
            payments: {
                /**
                 * @description Payments that came, by paid_at; those noted by hand too.
                 * @example 40
                 */
                succeeded: number;
                /**
                 * @description Attempts of processors that failed.
                 * @example 2
                 */
                failed: number;
            };
            /** @description What became of the events of the last 24 hours, whole hours, as far as they were audited. */
            ingestion: {
                /** @description Events answered with 200, as the usage stream holds them. */
                accepted: number;
                /** @description Events that count: each id once. Also those erased since. */
                landed: number;
                /** @description Events whose id had been accepted before. */
                repeated: number;
                /** @description Accepted, but none of the others: must be 0. */
                missing: number;
                /** @description Events in messages that could not be decoded. */
                dead_lettered: number;
                /**
                 * @description For how long the oldest event that has not landed has waited.
                 * @example 0.2
                 */
                lag_seconds: number;
            };
            /** @description The ten active subscriptions whose periods end first, soonest first. */
            next_closings: {
                /**
                 * @description Id of the subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
                /**
                 * @description Id of its customer.
                 * @example acme
                 */
                customer_id: string;
                /**
                 * @description Name of its plan.
                 * @example Pro
                 */
                plan_name: string;
                /**
                 * Format: date-time
                 * @description The end of its current period; on a test clock in the clock's time.
                 * @example 2026-11-20T10:00:00.000Z
                 */
                at: string;
            }[];
        };
        SearchResults: {
            /** @description At most 20: what has that very id or number, then customers, then the catalog. */
            results: {
                /**
                 * @description What it is.
                 * @example customer
                 * @enum {string}
                 */
                type: "customer" | "subscription" | "invoice" | "plan" | "addon" | "metric" | "credit" | "event";
                /**
                 * @description Its id; an event's idempotency_id.
                 * @example acme
                 */
                id: string;
                /**
                 * @description What it is called.
                 * @example Acme Inc.
                 */
                title: string;
                /**
                 * @description A little more, for people.
                 * @example billing@acme.example
                 */
                detail: string;
                /**
                 * @description The customer that it is, or is of; null: of none.
                 * @example acme
                 */
                customer_id: string | null;
            }[];
        };
        Account: {
            /**
             * @description Id of the account that the API key belongs to.
             * @example acct_01jd3k9x
             */
            account_id: string;
            /**
             * @description What the account is called, on its invoices too.
             * @example Acme
             */
            name: string;
            /**
             * @description In test mode there are test clocks, and events may lie in the future.
             * @example test
             * @enum {string}
             */
            mode: "test" | "live";
            /**
             * @description Currency of new customers, plans and add-ons that name none.
             * @example usd
             */
            default_currency: string;
            /**
             * @description Days from issue to due date.
             * @example 0
             */
            net_terms_days: number;
            /**
             * @description How long a closing waits after the end of a period.
             * @example 0
             */
            invoice_grace_seconds: number;
            /**
             * @description Requests per second and key; null: no limit.
             * @example null
             */
            rate_limit: number | null;
            /**
             * @description Days after a failed charge on which it is tried again.
             * @example [
             *       1,
             *       3,
             *       5,
             *       7
             *     ]
             */
            payment_retry_days: number[];
            /**
             * @description What happens with usage that arrives for a billed period: next_invoice bills the difference, ignore does not.
             * @example next_invoice
             * @enum {string}
             */
            late_usage: "next_invoice" | "ignore";
        };
        NewApiKey: {
            /**
             * @description Id of an API key.
             * @example key_01jd3k9x
             */
            key_id: string;
            /**
             * @description What the key is for, so that people can tell it from others.
             * @example edge
             */
            name: string;
            /**
             * @description The first characters of the key.
             * @example mb_test_1a2b
             */
            prefix: string;
            /**
             * @description What the key may do; none implies another.
             * @example [
             *       "events:write",
             *       "read"
             *     ]
             */
            scopes: ("events:write" | "read" | "write" | "admin")[];
            /**
             * Format: date-time
             * @description When the key was made.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /** @description From then on the key is of no use: when it expires, or when it was revoked. Null: it never expires. */
            expires_at: string | null;
            /** @description Right to 30 seconds. */
            last_used_at: string | null;
            /**
             * @description The key itself: shown this once.
             * @example mb_test_...
             */
            key: string;
        };
        ApiKey: {
            /**
             * @description Id of an API key.
             * @example key_01jd3k9x
             */
            key_id: string;
            /**
             * @description What the key is for, so that people can tell it from others.
             * @example edge
             */
            name: string;
            /**
             * @description The first characters of the key.
             * @example mb_test_1a2b
             */
            prefix: string;
            /**
             * @description What the key may do; none implies another.
             * @example [
             *       "events:write",
             *       "read"
             *     ]
             */
            scopes: ("events:write" | "read" | "write" | "admin")[];
            /**
             * Format: date-time
             * @description When the key was made.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /** @description From then on the key is of no use: when it expires, or when it was revoked. Null: it never expires. */
            expires_at: string | null;
            /** @description Right to 30 seconds. */
            last_used_at: string | null;
        };
        Customer: {
            /**
             * @description Id of the customer, chosen by you.
             * @example acme
             */
            customer_id: string;
            /**
             * @description Display name, as invoices show it.
             * @example Acme Inc.
             */
            customer_name: string;
            /**
             * @description Primary billing address.
             * @example billing@acme.example
             */
            email: string;
            /** @description Currency of the customer's invoices. */
            default_currency: components["schemas"]["Currency"];
            /**
             * @description The payment processor of the customer; null until set.
             * @example null
             */
            payment_provider: string | null;
            /**
             * @description The customer's id at the processor; null until set.
             * @example null
             */
            payment_provider_id: string | null;
            /**
             * @description Whether the payment processor has a valid payment method.
             * @example false
             */
            has_payment_method: boolean;
            /**
             * @description Tax of its invoices in percent: 10.5 is 10.5 percent.
             * @example 0
             */
            tax_rate: number;
            /**
             * @description IANA name of the time zone that periods and days are in.
             * @example Europe/Berlin
             */
            timezone: string;
            /** @description The address on invoices; null until set. */
            billing_address: components["schemas"]["Address"] | null;
            /** @description Subscriptions that are pending, active or paused. */
            subscriptions: components["schemas"]["Subscription"][];
            /** @description The newest invoices of the customer. */
            invoices: components["schemas"]["Invoice"][];
            /**
             * @description Sum of what is due on open and uncollectible invoices.
             * @example 0
             */
            total_amount_due: number;
            /**
             * @description The test clock that the customer lives on; null: real time.
             * @example null
             */
            test_clock_id: string | null;
            /**
             * @description The customer that is billed for this one, on consolidated invoices; of the same currency, time zone and test clock. Null: it is billed itself.
             * @example null
             */
            billed_to: string | null;
            /**
             * @description The caller's own texts: up to 50 keys with values of up to 500 characters.
             * @example {
             *       "team": "growth"
             *     }
             */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When the customer was made; in clock time on a test clock.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
        };
        DraftInvoice: {
            /**
             * @description Id of the invoice; null on a draft.
             * @example inv_01jd3k9x
             */
            invoice_id: string | null;
            /**
             * @description Number of the invoice, per account, without gaps, in order of issue; null on a draft.
             * @example INV-000001
             */
            invoice_number: string | null;
            /**
             * @description Who pays it.
             * @example acme
             */
            customer_id: string;
            /**
             * @description The subscription that it closes a period of; null where it is of none.
             * @example sub_01jd3k9x
             */
            subscription_id: string | null;
            /**
             * @description What made the invoice: the opening, a period's end, the closing of a subscription, a proration, or a person.
             * @example period
             * @enum {string}
             */
            kind: "opening" | "period" | "closing" | "proration" | "manual";
            /**
             * @description draft: not issued; open: to be paid; void and uncollectible: nothing more is asked for.
             * @example open
             * @enum {string}
             */
            status: "draft" | "open" | "paid" | "void" | "uncollectible";
            /** @description Currency of all amounts of the invoice. */
            currency: components["schemas"]["Currency"];
            /**
             * Format: date
             * @description Date of issue in the customer's time zone.
             * @example 2026-11-20
             */
            issue_date: string;
            /**
             * Format: date
             * @description Last day to pay: the date of issue plus the net terms of the account.
             * @example 2026-11-20
             */
            due_date: string;
            /**
             * Format: date-time
             * @description Start of the period that it closes; null where it closes none.
             * @example 2026-11-20T00:00:00.000Z
             */
            period_start: string | null;
            /**
             * Format: date-time
             * @description End of the period that it closes, exclusive.
             * @example 2026-12-20T00:00:00.000Z
             */
            period_end: string | null;
            /** @description Fee, prepaid units, usage, add-ons, prorations, late usage, true-ups, discounts, credits, in this order. */
            lines: {
                /**
                 * @description Id of the line; null on a draft.
                 * @example line_01jd3k9x
                 */
                line_id: string | null;
                /**
                 * @description Whose line it is: the invoice's customer, or one that is billed to it.
                 * @example acme
                 */
                customer_id: string;
                /**
                 * @description What the line charges or credits.
                 * @example usage
                 * @enum {string}
                 */
                type: "recurring_fee" | "prepaid_units" | "usage" | "addon" | "proration" | "late_usage" | "true_up" | "discount" | "credit";
                /**
                 * @description The line in words, as the invoice shows it.
                 * @example API calls
                 */
                description: string;
                /**
                 * @description The subscription that the line is of; null where it is of none.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string | null;
                /**
                 * @description The plan whose price was charged; null where it was none's.
                 * @example plan_01jd3k9x
                 */
                plan_id: string | null;
                /**
                 * @description The version of that plan.
                 * @example 1
                 */
                version: number | null;
                /**
                 * @description Whether its price is what was agreed on with the subscription instead of the plan's.
                 * @example false
                 */
                overridden: boolean;
                /**
                 * @description The metric that was billed; null on other lines.
                 * @example null
                 */
                metric_id: string | null;
                /**
                 * @description The add-on that was billed; null on other lines.
                 * @example null
                 */
                addon_id: string | null;
                /**
                 * @description The credit that was applied; null on other lines.
                 * @example null
                 */
                credit_id: string | null;
                /**
                 * Format: date-time
                 * @description Start of the time that the line is for; null where it is for none.
                 * @example 2026-11-20T00:00:00.000Z
                 */
                period_start: string | null;
                /**
                 * Format: date-time
                 * @description End of the time that the line is for, exclusive.
                 * @example 2026-12-20T00:00:00.000Z
                 */
                period_end: string | null;
                /**
                 * @description How many; on a usage line the value of the metric.
                 * @example 1
                 */
                quantity: number | null;
                /**
                 * @description What is left of the quantity after rounding and free tier.
                 * @example 50
                 */
                billable_quantity: number | null;
                /**
                 * @description Price of a unit; null where tiers say it.
                 * @example 29
                 */
                unit_price: number | null;
                /**
                 * @description What the line adds to the invoice; below 0 where it takes off.
                 * @example 29
                 */
                amount: number;
                /** @description What fell into which tier, and what it cost; empty without tiers. */
                tiers: {
                    /**
                     * @description Upper edge of the tier, inclusive; null: no end.
                     * @example 1000
                     */
                    up_to: number | null;
                    /**
                     * @description Units that fell into the tier.
                     * @example 50
                     */
                    quantity: number;
                    /**
                     * @description Price of a unit in the tier.
                     * @example 0.002
                     */
                    unit_price: number;
                    /**
                     * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                     * @example 0
                     */
                    flat_fee: number;
                    /**
                     * @description What the units of the tier cost, with its fixed price.
                     * @example 0.1
                     */
                    amount: number;
                }[];
                /**
                 * @description How many events the line was counted from; null on other lines.
                 * @example null
                 */
                events_count: number | null;
                /**
                 * @description What discounts take of the line; each is a line of its own.
                 * @example 0
                 */
                discount_amount: number;
            }[];
            /** @description The parts of a consolidated invoice, one for each subscription that is billed on it; else empty. */
            sections: {
                /**
                 * @description Whose subscription it is.
                 * @example acme-berlin
                 */
                customer_id: string;
                /**
                 * @description The subscription that is billed.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
                /**
                 * @description What made it due.
                 * @example period
                 * @enum {string}
                 */
                kind: "opening" | "period" | "closing" | "proration" | "manual";
                /**
                 * Format: date-time
                 * @description Start of the period that it closes.
                 * @example 2026-11-20T00:00:00.000Z
                 */
                period_start: string | null;
                /**
                 * Format: date-time
                 * @description End of the period that it closes, exclusive.
                 * @example 2026-12-20T00:00:00.000Z
                 */
                period_end: string | null;
                /**
                 * @description Sum of its lines.
                 * @example 29
                 */
                subtotal: number;
            }[];
            /**
             * @description Sum of the lines shown that are charges: all but the credits.
             * @example 29
             */
            charges_subtotal: number;
            /**
             * @description What is taxed: the sum of the lines that are not credits.
             * @example 29
             */
            subtotal: number;
            /**
             * @description What discounts take off: the sum of the discount lines, without its sign.
             * @example 0
             */
            discount_amount: number;
            /**
             * @description Tax in percent, as the customer had it at the issue.
             * @example 0
             */
            tax_rate: number;
            /**
             * @description Tax on the subtotal, rounded once.
             * @example 0
             */
            tax_amount: number;
            /**
             * @description Subtotal and tax, before credits.
             * @example 29
             */
            total: number;
            /**
             * @description Credits applied to the invoice, at most its total.
             * @example 0
             */
            credits_applied: number;
            /**
             * @description What has been paid.
             * @example 0
             */
            amount_paid: number;
            /**
             * @description What has been given back by refunds that succeeded.
             * @example 0
             */
            amount_refunded: number;
            /**
             * @description What is still to be paid: total less credits and payments.
             * @example 29
             */
            amount_due: number;
            /**
             * @description Whether it is open and past its due date.
             * @example false
             */
            past_due: boolean;
            /**
             * Format: date-time
             * @description When it was issued; in clock time for customers on a test clock.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was paid in full; null until then.
             * @example null
             */
            paid_at: string | null;
            /**
             * Format: date-time
             * @description When the invoice was voided; null where it was not.
             * @example null
             */
            voided_at: string | null;
            /** @description Payments, oldest first. */
            payments: {
                /**
                 * @description Id of a payment.
                 * @example pay_01jd3k9x
                 */
                payment_id: string;
                /**
                 * @description How the money came.
                 * @example manual
                 */
                method: string;
                /**
                 * @description What was paid.
                 * @example 29
                 */
                amount: number;
                /**
                 * @description Your own note, or the processor's id of the charge.
                 * @example transfer 4711
                 */
                reference: string | null;
                /**
                 * Format: date-time
                 * @description When the money came.
                 * @example 2026-11-20T10:00:00.000Z
                 */
                paid_at: string;
            }[];
            /** @description The customer's address at the issue; null: none was set. */
            billing_address: components["schemas"]["Address"] | null;
            /**
             * @description The customer's name at the issue.
             * @example Acme Inc.
             */
            customer_name: string;
            /**
             * @description The test clock that the customer lives on; null: real time.
             * @example null
             */
            test_clock_id: string | null;
            /**
             * Format: date-time
             * @description Usage accepted up to this time is on the draft.
             * @example 2026-11-20T10:00:00.000Z
             */
            as_of: string;
            /** @description The same by subscription: what each would be invoiced now. */
            invoices: components["schemas"]["Invoice"][];
        };
        DraftLineExplanation: {
            /** @description A draft has none. */
            invoice_id: null;
            /** @description A draft has none. */
            invoice_number: null;
            /** @description A draft has none. */
            line_id: null;
            /**
             * @description What the line charges.
             * @example usage
             * @enum {string}
             */
            type: "recurring_fee" | "prepaid_units" | "usage" | "addon" | "proration" | "late_usage" | "true_up" | "discount" | "credit";
            /**
             * @description The line in words, as the invoice shows it.
             * @example API calls
             */
            description: string;
            /**
             * @description ISO 4217 code of the invoice's currency.
             * @example usd
             */
            currency: string;
            /**
             * @description How many; on a usage line the value of the metric.
             * @example 1
             */
            quantity: number | null;
            /**
             * @description What is left of the quantity after rounding and free tier.
             * @example 50
             */
            billable_quantity: number | null;
            /**
             * @description Matching events, with or without the aggregated property.
             * @example 120
             */
            events_count: number | null;
            /** @description The metric that was counted, as it is now; null for other lines. */
            metric: components["schemas"]["Metric"] | null;
            /** @description Which usage was counted; null for other lines. */
            window: {
                /**
                 * Format: date-time
                 * @description Start of the time that was counted, inclusive.
                 * @example 2026-11-20T00:00:00.000Z
                 */
                start: string;
                /**
                 * Format: date-time
                 * @description End of the time that was counted, exclusive.
                 * @example 2026-12-20T00:00:00.000Z
                 */
                end: string;
                /**
                 * @description The time zone in which a time filter was read.
                 * @example UTC
                 */
                time_zone: string | null;
                /**
                 * @description Only events above this position of the stream were counted; null: all.
                 * @example null
                 */
                position_above: string | null;
                /**
                 * @description Only events up to this position of the stream were counted.
                 * @example null
                 */
                position_up_to: string | null;
            } | null;
            /** @description The price component of the plan version that made the line; null for other lines. */
            component: {
                /**
                 * @description Id of a price component.
                 * @example comp_01jd3k9x
                 */
                component_id: string;
                /**
                 * @description The metric whose value is billed.
                 * @example metric_01jd3k9x
                 */
                metric_id: string;
                /**
                 * @description Units that cost nothing, each period.
                 * @example 1000
                 */
                free_tier: number;
                /**
                 * @description How the billable quantity is priced: with tiers tiered or volume; percentage prices each event of a sum; by default per_unit. Null where only rows have prices.
                 * @example per_unit
                 * @enum {string|null}
                 */
                pricing_model: "per_unit" | "tiered" | "volume" | "package" | "percentage" | null;
                /**
                 * @description Price of a unit beyond the free tier, up to 12 decimals; with package of one package.
                 * @example 0.002
                 */
                overage_price: number | null;
                /** @description Bands of quantity with prices of their own, ascending; null with a single price. */
                tiers: {
                    /**
                     * @description Upper edge of the tier, inclusive; null: no end.
                     * @example 1000
                     */
                    up_to: number | null;
                    /**
                     * @description Price of a unit in the tier.
                     * @example 0.002
                     */
                    unit_price: number;
                    /**
                     * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                     * @example 0
                     */
                    flat_fee: number;
                }[] | null;
                /**
                 * @description Units of a package; each started one is charged.
                 * @example null
                 */
                package_size: number | null;
                /**
                 * @description With percentage: percent of the value of each event; else null.
                 * @example null
                 */
                percentage: number | null;
                /**
                 * @description With percentage: charged for each event besides; else null.
                 * @example null
                 */
                fixed_amount: number | null;
                /**
                 * @description With percentage: what each event costs at least; null: no bound.
                 * @example null
                 */
                per_event_minimum: number | null;
                /**
                 * @description With percentage: what each event costs at most; null: no bound.
                 * @example null
                 */
                per_event_maximum: number | null;
                /**
                 * @description The properties of events by which they are priced, 1 to 3; null without a price book.
                 * @example null
                 */
                group_by: string[] | null;
                /**
                 * @description Prices by the properties of the events, each a row of the price book; null without one.
                 * @example null
                 */
                prices: components["schemas"]["PriceRow"][] | null;
                /**
                 * @description What becomes of events that no row prices: hold until one does (default), price at the component's own, or ignore. Null without a price book.
                 * @example null
                 * @enum {string|null}
                 */
                unmatched: "hold" | "price" | "ignore" | null;
                /**
                 * @description How the quantity is rounded, once, half away from zero.
                 * @example no_rounding
                 * @enum {string}
                 */
                rounding: "round_down" | "round_up" | "round_nearest" | "no_rounding";
                /**
                 * @description Units paid ahead each period, at the own price of so many.
                 * @example 0
                 */
                prepaid_units: number;
                /**
                 * @description The least that prepaid units and usage of a period come to; what is missing is a true_up line.
                 * @example 40
                 */
                minimum_amount: number | null;
                /**
                 * @description The most that prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                 * @example 130
                 */
                maximum_amount: number | null;
            } | null;
            /** @description What was agreed on that the line is priced by; null where that is what the plan says. */
            overrides: components["schemas"]["PlanOverrides"] | null;
            /**
             * @description Units that were paid ahead; null where none could be.
             * @example null
             */
            prepaid_units: number | null;
            /** @description The limits that made a true_up line; null for other lines. */
            limit: {
                /**
                 * @description The least, for the days in force; null: none.
                 * @example 40
                 */
                minimum_amount: number | null;
                /**
                 * @description The most; null: none.
                 * @example 130
                 */
                maximum_amount: number | null;
                /**
                 * @description What the limits count came to.
                 * @example 33.5
                 */
                charged: number;
                /**
                 * @description What earlier lines have trued up of it.
                 * @example 0
                 */
                trued_up: number;
            } | null;
            /** @description The discount that made a discount line; null for other lines. */
            discount: {
                /**
                 * @description Id of the discount.
                 * @example disc_01jd3k9x
                 */
                discount_id: string;
                /**
                 * @description Percent of what is left; null: none.
                 * @example 15
                 */
                percent_off: number | null;
                /**
                 * @description Amount at most; null: none.
                 * @example null
                 */
                amount_off: number | null;
                /**
                 * @description What was left of the lines that it is for.
                 * @example 130
                 */
                amount: number;
            } | null;
            /** @description The arithmetic, step by step; the last value is the total. */
            steps: {
                /**
                 * @description What the step does.
                 * @example free_tier
                 */
                step: string;
                /**
                 * @description The step in words.
                 * @example 120 - 100 free = 20
                 */
                text: string;
                /**
                 * @description The value after the step, exact.
                 * @example 20
                 */
                value: number;
            }[];
            /**
             * @description The amount of the line: where the steps lead.
             * @example 29
             */
            total: number;
            /** @description The events that the line was counted from, a page of them; null for other lines. */
            events: {
                /**
                 * @description How many events there are in all.
                 * @example 120
                 */
                count: number | null;
                /** @description This page of events, oldest first. */
                results: components["schemas"]["UsageEvent"][];
                /**
                 * @description The cursor of the next page; null on the last one.
                 * @example null
                 */
                next_cursor: string | null;
                /**
                 * @description URL of the next page of events; null on the last one.
                 * @example null
                 */
                next: string | null;
            } | null;
        };
        Metric: {
            /**
             * @description Id of a metric.
             * @example metric_01jd3k9x
             */
            metric_id: string;
            /**
             * @description Display name of a metric; need not be unique.
             * @example API calls
             */
            metric_name: string;
            /**
             * @description How events become one value.
             * @example count
             * @enum {string}
             */
            aggregation_type: "count" | "sum" | "max" | "unique";
            /**
             * @description Which events count; null means all.
             * @example api_call
             */
            event_name: string | null;
            /**
             * @description The property that is aggregated, or compared by a filter; null for count.
             * @example bytes
             */
            property_name: string | null;
            /** @description Conditions on numbers of properties, compared exactly; all filters must hold. */
            numeric_filters: {
                /**
                 * @description The property that is aggregated, or compared by a filter; null for count.
                 * @example bytes
                 */
                property_name: string;
                /**
                 * @description How the property is compared.
                 * @example gte
                 */
                operator: string;
                /** @description What the property is compared with: a number, or a list of texts. */
                comparison_value: number;
            }[];
            /** @description Conditions on texts of properties; all filters must hold. */
            categorical_filters: {
                /**
                 * @description The property that is aggregated, or compared by a filter; null for count.
                 * @example bytes
                 */
                property_name: string;
                /**
                 * @description How the property is compared.
                 * @example gte
                 */
                operator: string;
                /**
                 * @description The texts that it is compared with.
                 * @example [
                 *       "eu",
                 *       "us"
                 *     ]
                 */
                comparison_value: string[];
            }[];
            /** @description When events count, in the customer's time zone; null: always. */
            time_filter: {
                /**
                 * @description Days on which events count, Monday = 1.
                 * @example [
                 *       1,
                 *       2,
                 *       3,
                 *       4,
                 *       5
                 *     ]
                 */
                days_of_week?: number[];
                /** @description Hours of the customer's day in which events count. */
                hours?: {
                    /**
                     * @description First hour, inclusive.
                     * @example 9
                     */
                    from: number;
                    /**
                     * @description Last hour, exclusive.
                     * @example 17
                     */
                    to: number;
                };
            } | null;
            /**
             * @description Whether the metric counts as a cost in the cost analysis.
             * @example false
             */
            is_cost_metric: boolean;
            /**
             * @description What a unit of a cost metric costs.
             * @example 1
             */
            unit_cost: number;
            /**
             * @description archived: no new plan can use it; those that do go on.
             * @example active
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When the metric was made.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
        };
        PriceRow: {
            /**
             * @description Id of the row.
             * @example price_01jd3k9x
             */
            price_id: string;
            /**
             * @description Texts of some of the properties in group_by; null: events without it, {}: all events.
             * @example {
             *       "model": "gpt-5",
             *       "kind": "input"
             *     }
             */
            when: {
                [key: string]: string | null;
            };
            /**
             * @description From when on: a date (the customer's midnight) or a date-time; events before it have another price. Null: always.
             * @example 2026-11-20
             */
            from: string | null;
            /**
             * @description How the billable quantity is priced: with tiers tiered or volume; percentage prices each event of a sum; by default per_unit. Null where only rows have prices.
             * @example per_unit
             * @enum {string|null}
             */
            pricing_model: "per_unit" | "tiered" | "volume" | "package" | "percentage" | null;
            /**
             * @description Price of a unit beyond the free tier, up to 12 decimals; with package of one package.
             * @example 0.002
             */
            overage_price: number | null;
            /** @description Bands of quantity with prices of their own, ascending; null with a single price. */
            tiers: {
                /**
                 * @description Upper edge of the tier, inclusive; null: no end.
                 * @example 1000
                 */
                up_to: number | null;
                /**
                 * @description Price of a unit in the tier.
                 * @example 0.002
                 */
                unit_price: number;
                /**
                 * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                 * @example 0
                 */
                flat_fee: number;
            }[] | null;
            /**
             * @description Units of a package; each started one is charged.
             * @example null
             */
            package_size: number | null;
            /**
             * @description With percentage: percent of the value of each event; else null.
             * @example null
             */
            percentage: number | null;
            /**
             * @description With percentage: charged for each event besides; else null.
             * @example null
             */
            fixed_amount: number | null;
            /**
             * @description With percentage: what each event costs at least; null: no bound.
             * @example null
             */
            per_event_minimum: number | null;
            /**
             * @description With percentage: what each event costs at most; null: no bound.
             * @example null
             */
            per_event_maximum: number | null;
            /**
             * @description Units of each combination that cost nothing.
             * @example 0
             */
            free_tier: number;
        };
        UsageEvent: {
            /**
             * @description Id of the event, chosen by the caller. A repeated one is counted once, for ever.
             * @example e-1
             */
            idempotency_id: string;
            /**
             * @description What happened.
             * @example api_call
             */
            event_name: string;
            /**
             * @description Whose usage it is.
             * @example acme
             */
            customer_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-11-20T10:00:00.000Z
             */
            time_created: string;
            /**
             * Format: date-time
             * @description When the stream stored the event.
             * @example 2026-11-20T10:00:00.000Z
             */
            received_at: string;
            /**
             * @description What it was sent with, exact.
             * @example {
             *       "region": "eu",
             *       "bytes": 1024
             *     }
             */
            properties: {
                [key: string]: string | boolean | number;
            };
        };
        LineExplanation: {
            /**
             * @description Id of an invoice.
             * @example inv_01jd3k9x
             */
            invoice_id: string;
            /**
             * @description Number of the invoice: per account, without gaps, in order of issue.
             * @example INV-000001
             */
            invoice_number: string;
            /**
             * @description Id of a line; null on a draft.
             * @example line_01jd3k9x
             */
            line_id: string;
            /**
             * @description What the line charges.
             * @example usage
             * @enum {string}
             */
            type: "recurring_fee" | "prepaid_units" | "usage" | "addon" | "proration" | "late_usage" | "true_up" | "discount" | "credit";
            /**
             * @description The line in words, as the invoice shows it.
             * @example API calls
             */
            description: string;
            /**
             * @description ISO 4217 code of the invoice's currency.
             * @example usd
             */
            currency: string;
            /**
             * @description How many; on a usage line the value of the metric.
             * @example 1
             */
            quantity: number | null;
            /**
             * @description What is left of the quantity after rounding and free tier.
             * @example 50
             */
            billable_quantity: number | null;
            /**
             * @description Matching events, with or without the aggregated property.
             * @example 120
             */
            events_count: number | null;
            /** @description The metric that was counted, as it is now; null for other lines. */
            metric: components["schemas"]["Metric"] | null;
            /** @description Which usage was counted; null for other lines. */
            window: {
                /**
                 * Format: date-time
                 * @description Start of the time that was counted, inclusive.
                 * @example 2026-11-20T00:00:00.000Z
                 */
                start: string;
                /**
                 * Format: date-time
                 * @description End of the time that was counted, exclusive.
                 * @example 2026-12-20T00:00:00.000Z
                 */
                end: string;
                /**
                 * @description The time zone in which a time filter was read.
                 * @example UTC
                 */
                time_zone: string | null;
                /**
                 * @description Only events above this position of the stream were counted; null: all.
                 * @example null
                 */
                position_above: string | null;
                /**
                 * @description Only events up to this position of the stream were counted.
                 * @example null
                 */
                position_up_to: string | null;
            } | null;
            /** @description The price component of the plan version that made the line; null for other lines. */
            component: {
                /**
                 * @description Id of a price component.
                 * @example comp_01jd3k9x
                 */
                component_id: string;
                /**
                 * @description The metric whose value is billed.
                 * @example metric_01jd3k9x
                 */
                metric_id: string;
                /**
                 * @description Units that cost nothing, each period.
                 * @example 1000
                 */
                free_tier: number;
                /**
                 * @description How the billable quantity is priced: with tiers tiered or volume; percentage prices each event of a sum; by default per_unit. Null where only rows have prices.
                 * @example per_unit
                 * @enum {string|null}
                 */
                pricing_model: "per_unit" | "tiered" | "volume" | "package" | "percentage" | null;
                /**
                 * @description Price of a unit beyond the free tier, up to 12 decimals; with package of one package.
                 * @example 0.002
                 */
                overage_price: number | null;
                /** @description Bands of quantity with prices of their own, ascending; null with a single price. */
                tiers: {
                    /**
                     * @description Upper edge of the tier, inclusive; null: no end.
                     * @example 1000
                     */
                    up_to: number | null;
                    /**
                     * @description Price of a unit in the tier.
                     * @example 0.002
                     */
                    unit_price: number;
                    /**
                     * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                     * @example 0
                     */
                    flat_fee: number;
                }[] | null;
                /**
                 * @description Units of a package; each started one is charged.
                 * @example null
                 */
                package_size: number | null;
                /**
                 * @description With percentage: percent of the value of each event; else null.
                 * @example null
                 */
                percentage: number | null;
                /**
                 * @description With percentage: charged for each event besides; else null.
                 * @example null
                 */
                fixed_amount: number | null;
                /**
                 * @description With percentage: what each event costs at least; null: no bound.
                 * @example null
                 */
                per_event_minimum: number | null;
                /**
                 * @description With percentage: what each event costs at most; null: no bound.
                 * @example null
                 */
                per_event_maximum: number | null;
                /**
                 * @description The properties of events by which they are priced, 1 to 3; null without a price book.
                 * @example null
                 */
                group_by: string[] | null;
                /**
                 * @description Prices by the properties of the events, each a row of the price book; null without one.
                 * @example null
                 */
                prices: components["schemas"]["PriceRow"][] | null;
                /**
                 * @description What becomes of events that no row prices: hold until one does (default), price at the component's own, or ignore. Null without a price book.
                 * @example null
                 * @enum {string|null}
                 */
                unmatched: "hold" | "price" | "ignore" | null;
                /**
                 * @description How the quantity is rounded, once, half away from zero.
                 * @example no_rounding
                 * @enum {string}
                 */
                rounding: "round_down" | "round_up" | "round_nearest" | "no_rounding";
                /**
                 * @description Units paid ahead each period, at the own price of so many.
                 * @example 0
                 */
                prepaid_units: number;
                /**
                 * @description The least that prepaid units and usage of a period come to; what is missing is a true_up line.
                 * @example 40
                 */
                minimum_amount: number | null;
                /**
                 * @description The most that prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                 * @example 130
                 */
                maximum_amount: number | null;
            } | null;
            /** @description What was agreed on that the line is priced by; null where that is what the plan says. */
            overrides: components["schemas"]["PlanOverrides"] | null;
            /**
             * @description Units that were paid ahead; null where none could be.
             * @example null
             */
            prepaid_units: number | null;
            /** @description The limits that made a true_up line; null for other lines. */
            limit: {
                /**
                 * @description The least, for the days in force; null: none.
                 * @example 40
                 */
                minimum_amount: number | null;
                /**
                 * @description The most; null: none.
                 * @example 130
                 */
                maximum_amount: number | null;
                /**
                 * @description What the limits count came to.
                 * @example 33.5
                 */
                charged: number;
                /**
                 * @description What earlier lines have trued up of it.
                 * @example 0
                 */
                trued_up: number;
            } | null;
            /** @description The discount that made a discount line; null for other lines. */
            discount: {
                /**
                 * @description Id of the discount.
                 * @example disc_01jd3k9x
                 */
                discount_id: string;
                /**
                 * @description Percent of what is left; null: none.
                 * @example 15
                 */
                percent_off: number | null;
                /**
                 * @description Amount at most; null: none.
                 * @example null
                 */
                amount_off: number | null;
                /**
                 * @description What was left of the lines that it is for.
                 * @example 130
                 */
                amount: number;
            } | null;
            /** @description The arithmetic, step by step; the last value is the total. */
            steps: {
                /**
                 * @description What the step does.
                 * @example free_tier
                 */
                step: string;
                /**
                 * @description The step in words.
                 * @example 120 - 100 free = 20
                 */
                text: string;
                /**
                 * @description The value after the step, exact.
                 * @example 20
                 */
                value: number;
            }[];
            /**
             * @description The amount of the line: where the steps lead.
             * @example 29
             */
            total: number;
            /** @description The events that the line was counted from, a page of them; null for other lines. */
            events: {
                /**
                 * @description How many events there are in all.
                 * @example 120
                 */
                count: number | null;
                /** @description This page of events, oldest first. */
                results: components["schemas"]["UsageEvent"][];
                /**
                 * @description The cursor of the next page; null on the last one.
                 * @example null
                 */
                next_cursor: string | null;
                /**
                 * @description URL of the next page of events; null on the last one.
                 * @example null
                 */
                next: string | null;
            } | null;
        };
        CostAnalysis: {
            /**
             * @description The customer that was asked about.
             * @example acme
             */
            customer_id: string;
            /** @description Currency of all amounts here: that of the customer. */
            currency: components["schemas"]["Currency"];
            /**
             * Format: date
             * @description First day, inclusive.
             * @example 2026-11-01
             */
            start_date: string;
            /**
             * Format: date
             * @description Last day, inclusive.
             * @example 2026-11-30
             */
            end_date: string;
            /** @description Every day of the interval, in order. */
            per_day: {
                /**
                 * Format: date
                 * @description A day in the customer's time zone.
                 * @example 2026-11-20
                 */
                date: string;
                /**
                 * @description Revenue of the day, without tax.
                 * @example 5
                 */
                revenue: number;
                /**
                 * @description Cost of the day: the sum over cost metrics.
                 * @example 1.5
                 */
                cost: number;
                /**
                 * @description Revenue less cost.
                 * @example 3.5
                 */
                margin: number;
                /** @description The cost by metric. */
                cost_data: {
                    /**
                     * @description Id of a metric.
                     * @example metric_01jd3k9x
                     */
                    metric_id: string;
                    /**
                     * @description Display name of a metric; need not be unique.
                     * @example API calls
                     */
                    metric_name: string;
                    /**
                     * @description Usage of the metric on this day.
                     * @example 150
                     */
                    usage: number;
                    /**
                     * @description That usage times the unit cost of the metric.
                     * @example 1.5
                     */
                    cost: number;
                }[];
            }[];
            /**
             * @description Revenue of all days.
             * @example 5
             */
            total_revenue: number;
            /**
             * @description Cost of all days.
             * @example 1.5
             */
            total_cost: number;
            /**
             * @description Total revenue less total cost.
             * @example 3.5
             */
            total_margin: number;
            /**
             * @description Total margin divided by total revenue; 0 where that is 0.
             * @example 0.7
             */
            profit_margin: number;
        };
        LedgerTransaction: {
            /**
             * @description Id of a transaction of the ledger.
             * @example ltx_01jd3k9x
             */
            ledger_transaction_id: string;
            /**
             * @description What happened to the money.
             * @example invoice_issued
             */
            kind: string;
            /**
             * Format: date-time
             * @description When it happened; in clock time for customers on a test clock.
             * @example 2026-11-20T10:00:00.000Z
             */
            at: string;
            /**
             * @description The invoice that it belongs to; null where it is none.
             * @example inv_01jd3k9x
             */
            invoice_id: string | null;
            /**
             * @description The credit that it belongs to; null where it is none.
             * @example null
             */
            credit_id: string | null;
            /**
             * @description The refund that it belongs to; null where it is none.
             * @example null
             */
            refund_id: string | null;
            /** @description Debits (positive) and credits (negative); they sum to zero. */
            entries: {
                /**
                 * @description Account of the ledger.
                 * @example accounts_receivable
                 */
                ledger_account: string;
                /**
                 * @description Above 0 a debit, below 0 a credit.
                 * @example 29
                 */
                amount: number;
            }[];
        };
        NewPortalLink: {
            /**
             * @description Id of the link.
             * @example linkt_01jd3k9x
             */
            portal_link_id: string;
            /**
             * @description The customer whose billing it shows.
             * @example acme
             */
            customer_id: string;
            /**
             * Format: date-time
             * @description When the link was made.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description From then on it is of no use.
             * @example 2026-11-20T10:00:00.000Z
             */
            expires_at: string;
            /**
             * @description Where the customer goes: shown this once.
             * @example https://billing.acme.example/portal/...
             */
            url: string;
        };
        PortalLink: {
            /**
             * @description Id of the link.
             * @example linkt_01jd3k9x
             */
            portal_link_id: string;
            /**
             * @description The customer whose billing it shows.
             * @example acme
             */
            customer_id: string;
            /**
             * Format: date-time
             * @description When the link was made.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description From then on it is of no use.
             * @example 2026-11-20T10:00:00.000Z
             */
            expires_at: string;
            /** @description When it was revoked; null where it was not. */
            revoked_at: string | null;
        };
        VerifiedEvents: {
            /**
             * @description The question was answered.
             * @example success
             * @enum {string}
             */
            status: "success";
            /**
             * @description Ids that were accepted.
             * @example [
             *       "e-1"
             *     ]
             */
            ids_received: string[];
            /**
             * @description Ids that were never accepted in the time asked about.
             * @example [
             *       "e-2"
             *     ]
             */
            ids_not_found: string[];
        };
        EventTrace: {
            /**
             * @description The id that was asked for.
             * @example evt-4711
             */
            idempotency_id: string;
            /**
             * @description landed: it can be counted; queued: it will be within moments; dead_lettered: its message cannot be decoded and waits for a replay.
             * @example landed
             * @enum {string}
             */
            status: "queued" | "landed" | "dead_lettered";
            /** @description The event; null until it has landed, and once it was erased with its customer. */
            event: components["schemas"]["UsageEvent"] | null;
            /**
             * @description How often its id was sent again, in the last 30 days.
             * @example 0
             */
            repeats: number;
            /** @description The metrics of the account, newest first. */
            metrics: {
                /**
                 * @description A metric of the account.
                 * @example metric_01jd3k9x
                 */
                metric_id: string;
                /**
                 * @description Whether it counts the event.
                 * @example true
                 */
                counts: boolean;
                /**
                 * @description The first field of the metric that refuses it; null: none.
                 * @example numeric_filters.0
                 */
                because: string | null;
            }[];
            /** @description The lines that count it, at 0 too: of issued invoices, then of the draft. */
            billed_in: {
                /**
                 * @description The invoice; null: of a draft.
                 * @example inv_01jd3k9x
                 */
                invoice_id: string | null;
                /**
                 * @description Its number; null: of a draft.
                 * @example INV-000042
                 */
                invoice_number: string | null;
                /**
                 * @description State of the invoice.
                 * @example open
                 * @enum {string}
                 */
                status: "draft" | "open" | "paid" | "void" | "uncollectible";
                /**
                 * @description The line; null: of a draft.
                 * @example line_01jd3k9x
                 */
                line_id: string | null;
                /**
                 * @description What the line charges.
                 * @example usage
                 * @enum {string}
                 */
                type: "usage" | "late_usage";
                /**
                 * @description The metric that counts the event.
                 * @example metric_01jd3k9x
                 */
                metric_id: string;
                /**
                 * @description The subscription of the line.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
                /**
                 * @description Amount of the whole line.
                 * @example 12.5
                 */
                amount: number;
            }[];
            /**
             * @description Why nothing bills it; null where something does.
             * @example null
             */
            reason: ("no_metric" | "filtered" | "no_subscription" | "not_in_plan" | "paused" | "late_ignored" | "voided") | null;
        };
        IngestionAudit: {
            /**
             * Format: date-time
             * @description Start of the time of receipt that was audited, inclusive.
             * @example 2026-11-01T00:00:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description End of the time of receipt that was audited, exclusive.
             * @example 2026-12-01T00:00:00.000Z
             */
            end: string;
            /** @description Events answered with 200, as the usage stream holds them. */
            accepted: number;
            /** @description Events that count: each id once. Also those erased since. */
            landed: number;
            /** @description Events whose id had been accepted before. */
            repeated: number;
            /** @description Accepted, but neither landed nor repeated nor a dead letter: must be 0. */
            missing: number;
            /** @description Events in messages that could not be decoded and wait for a replay. */
            dead_lettered: number;
        };
        MetricPreview: {
            /**
             * @description What the metric would come to.
             * @example 42
             */
            value: number;
            /**
             * @description Events that it would count.
             * @example 42
             */
            events_count: number;
            /** @description The 20 newest of these events. */
            matched: components["schemas"]["UsageEvent"][];
            /** @description The 20 newest events that it would not count; first those of its event_name. */
            excluded: {
                /** @description An event that it would not count. */
                event: components["schemas"]["UsageEvent"];
                /**
                 * @description The first field of the metric that refuses it.
                 * @example numeric_filters.0
                 */
                because: string;
            }[];
        };
        MetricUsage: {
            /**
             * @description Id of a metric.
             * @example metric_01jd3k9x
             */
            metric_id: string;
            /**
             * @description Whose usage it is.
             * @example acme
             */
            customer_id: string;
            /**
             * Format: date-time
             * @description Start of the interval or, in a row, of the bucket; inclusive.
             * @example 2026-11-01T00:00:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description End of the interval or, in a row, of the bucket; exclusive.
             * @example 2026-12-01T00:00:00.000Z
             */
            end: string;
            /**
             * @description Length of the buckets.
             * @example total
             * @enum {string}
             */
            granularity: "total" | "day" | "hour";
            /**
             * Format: date-time
             * @description The time up to which accepted events are included.
             * @example 2026-11-20T10:00:00.000Z
             */
            as_of: string;
            /** @description One row for each bucket or, with group_by, for each pair of bucket and group that occurs. */
            results: {
                /**
                 * Format: date-time
                 * @description Start of the interval or, in a row, of the bucket; inclusive.
                 * @example 2026-11-01T00:00:00.000Z
                 */
                start: string;
                /**
                 * Format: date-time
                 * @description End of the interval or, in a row, of the bucket; exclusive.
                 * @example 2026-12-01T00:00:00.000Z
                 */
                end: string;
                /**
                 * @description The metric's value in the bucket, exact.
                 * @example 42
                 */
                value: number;
                /**
                 * @description Matching events, with or without the aggregated property.
                 * @example 120
                 */
                events_count: number;
                /**
                 * @description The property's text; null for events without it. Only with group_by, and not in a row with `other`.
                 * @example eu-west-1
                 */
                group?: string | null;
                /**
                 * @description In a row about all groups that are not told one by one, as if they were one: for count and sum what is missing from the total, for max their maximum, for unique the distinct values among their events (a value that a told group also has counts here too). Such a row has no `group`; every other row has no `other`.
                 * @example true
                 * @enum {boolean}
                 */
                other?: true;
            }[];
        };
        Plan: {
            /**
             * @description Id of a plan.
             * @example plan_01jd3k9x
             */
            plan_id: string;
            /**
             * @description Display name of the plan.
             * @example Pro
             */
            name: string;
            /**
             * @description Fee of a period in major units.
             * @example 29
             */
            recurring_fee: number;
            /**
             * @description Length of a period: 1, 3 or 12 months; by fixed_days 30, 90 or 365 days.
             * @example monthly
             * @enum {string}
             */
            billing_period: "monthly" | "quarterly" | "annual";
            /**
             * @description What periods are counted by: fixed_days; anniversary, months from the start date; calendar, months from anchor_day on. Fixed for the life of a plan.
             * @example fixed_days
             * @enum {string}
             */
            billing_calendar: "fixed_days" | "anniversary" | "calendar";
            /**
             * @description The day of the month on which periods start by calendar, by default 1; in a month that lacks it, its last day. Null by other calendars.
             * @example null
             */
            anchor_day: number | null;
            /**
             * @description What components bill at once: billing_period, all of it; monthly, each month of it, with an invoice at the month's end. Fixed for the life of a plan.
             * @example billing_period
             * @enum {string}
             */
            usage_period: "billing_period" | "monthly";
            /**
             * @description ISO 4217 code of its prices, in lower case.
             * @example usd
             */
            currency: string;
            /**
             * @description Whether the recurring fee is charged at the end (in_arrears) or the start (in_advance) of a period.
             * @example in_arrears
             * @enum {string}
             */
            charge_timing: "in_arrears" | "in_advance";
            /** @description What usage costs: one component for each billed metric. */
            components: {
                /**
                 * @description Id of a price component.
                 * @example comp_01jd3k9x
                 */
                component_id: string;
                /**
                 * @description The metric whose value is billed.
                 * @example metric_01jd3k9x
                 */
                metric_id: string;
                /**
                 * @description Units that cost nothing, each period.
                 * @example 1000
                 */
                free_tier: number;
                /**
                 * @description How the billable quantity is priced: with tiers tiered or volume; percentage prices each event of a sum; by default per_unit. Null where only rows have prices.
                 * @example per_unit
                 * @enum {string|null}
                 */
                pricing_model: "per_unit" | "tiered" | "volume" | "package" | "percentage" | null;
                /**
                 * @description Price of a unit beyond the free tier, up to 12 decimals; with package of one package.
                 * @example 0.002
                 */
                overage_price: number | null;
                /** @description Bands of quantity with prices of their own, ascending; null with a single price. */
                tiers: {
                    /**
                     * @description Upper edge of the tier, inclusive; null: no end.
                     * @example 1000
                     */
                    up_to: number | null;
                    /**
                     * @description Price of a unit in the tier.
                     * @example 0.002
                     */
                    unit_price: number;
                    /**
                     * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                     * @example 0
                     */
                    flat_fee: number;
                }[] | null;
                /**
                 * @description Units of a package; each started one is charged.
                 * @example null
                 */
                package_size: number | null;
                /**
                 * @description With percentage: percent of the value of each event; else null.
                 * @example null
                 */
                percentage: number | null;
                /**
                 * @description With percentage: charged for each event besides; else null.
                 * @example null
                 */
                fixed_amount: number | null;
                /**
                 * @description With percentage: what each event costs at least; null: no bound.
                 * @example null
                 */
                per_event_minimum: number | null;
                /**
                 * @description With percentage: what each event costs at most; null: no bound.
                 * @example null
                 */
                per_event_maximum: number | null;
                /**
                 * @description The properties of events by which they are priced, 1 to 3; null without a price book.
                 * @example null
                 */
                group_by: string[] | null;
                /**
                 * @description Prices by the properties of the events, each a row of the price book; null without one.
                 * @example null
                 */
                prices: components["schemas"]["PriceRow"][] | null;
                /**
                 * @description What becomes of events that no row prices: hold until one does (default), price at the component's own, or ignore. Null without a price book.
                 * @example null
                 * @enum {string|null}
                 */
                unmatched: "hold" | "price" | "ignore" | null;
                /**
                 * @description How the quantity is rounded, once, half away from zero.
                 * @example no_rounding
                 * @enum {string}
                 */
                rounding: "round_down" | "round_up" | "round_nearest" | "no_rounding";
                /**
                 * @description Units paid ahead each period, at the own price of so many.
                 * @example 0
                 */
                prepaid_units: number;
                /**
                 * @description The least that prepaid units and usage of a period come to; what is missing is a true_up line.
                 * @example 40
                 */
                minimum_amount: number | null;
                /**
                 * @description The most that prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                 * @example 130
                 */
                maximum_amount: number | null;
            }[];
            /** @description What the plan includes or limits. */
            features: {
                /**
                 * @description Id of a feature: one for each name in the account.
                 * @example feat_01jd3k9x
                 */
                feature_id: string;
                /**
                 * @description Name of the feature, by which access is asked.
                 * @example sso
                 */
                name: string;
                /**
                 * @description Whether the plan includes the feature.
                 * @example true
                 */
                included: boolean;
                /**
                 * @description The most that may be used in a period; null: unlimited.
                 * @example 100
                 */
                limit: number | null;
                /**
                 * @description The metric that the limit is about; null: nothing is measured.
                 * @example null
                 */
                metric_id: string | null;
            }[];
            /**
             * @description The least that fee, prepaid units and usage of a period come to; what is missing is a true_up line.
             * @example 40
             */
            minimum_amount: number | null;
            /**
             * @description The most that fee, prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
             * @example 130
             */
            maximum_amount: number | null;
            /**
             * @description What the plan costs in further currencies, by code: its fee where the plan has one, and each of its components. Null: only in the plan's own.
             * @example null
             */
            currency_options: {
                [key: string]: components["schemas"]["PlanOverrides"];
            } | null;
            /**
             * @description Days of trial with which a subscription begins, 0 to 730: no fee, and billing periods follow. 0 and null: none.
             * @example 14
             */
            trial_days: number | null;
            /**
             * @description Whether usage is billed in a trial, too.
             * @example false
             */
            bill_usage_in_trial: boolean;
            /**
             * @description The version of the plan that this is: 1, 2, ...
             * @example 1
             */
            version: number;
            /**
             * @description Id of the version of the plan.
             * @example planv_01jd3k9x
             */
            version_id: string;
            /**
             * @description archived: nobody can subscribe to it any more; who has it goes on.
             * @example active
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When this version was made.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /**
             * @description The caller's own texts: up to 50 keys with values of up to 500 characters.
             * @example {
             *       "team": "growth"
             *     }
             */
            metadata: {
                [key: string]: string;
            };
        };
        PlanPreview: {
            /**
             * @description ISO 4217 code of the amounts, as a plan has it.
             * @example usd
             */
            currency: string;
            /** @description The lines that the invoice of a period would have. */
            lines: {
                /**
                 * @description What the line charges or credits.
                 * @example usage
                 * @enum {string}
                 */
                type: "recurring_fee" | "prepaid_units" | "usage" | "addon" | "proration" | "late_usage" | "true_up" | "discount" | "credit";
                /**
                 * @description The line in words, as the invoice shows it.
                 * @example API calls
                 */
                description: string;
                /**
                 * @description The metric that was billed; null on other lines.
                 * @example null
                 */
                metric_id: string | null;
                /**
                 * @description How many; on a usage line the value of the metric.
                 * @example 1
                 */
                quantity: number | null;
                /**
                 * @description What is left of the quantity after rounding and free tier.
                 * @example 50
                 */
                billable_quantity: number | null;
                /**
                 * @description Price of a unit; null where tiers say it.
                 * @example 29
                 */
                unit_price: number | null;
                /**
                 * @description What the line adds to the invoice; below 0 where it takes off.
                 * @example 29
                 */
                amount: number;
                /** @description What fell into which tier, and what it cost; empty without tiers. */
                tiers: {
                    /**
                     * @description Upper edge of the tier, inclusive; null: no end.
                     * @example 1000
                     */
                    up_to: number | null;
                    /**
                     * @description Units that fell into the tier.
                     * @example 50
                     */
                    quantity: number;
                    /**
                     * @description Price of a unit in the tier.
                     * @example 0.002
                     */
                    unit_price: number;
                    /**
                     * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                     * @example 0
                     */
                    flat_fee: number;
                    /**
                     * @description What the units of the tier cost, with its fixed price.
                     * @example 0.1
                     */
                    amount: number;
                }[];
                /** @description The arithmetic, step by step; the last value is the amount. */
                steps: {
                    /**
                     * @description What the step does.
                     * @example free_tier
                     */
                    step: string;
                    /**
                     * @description The step in words.
                     * @example 120 - 100 free = 20
                     */
                    text: string;
                    /**
                     * @description The value after the step, exact.
                     * @example 20
                     */
                    value: number;
                }[];
            }[];
            /**
             * @description Their sum, without tax.
             * @example 30
             */
            subtotal: number;
        };
        Addon: {
            /**
             * @description Id of an add-on.
             * @example addon_01jd3k9x
             */
            addon_id: string;
            /**
             * @description Name of the add-on, as lines of invoices show it.
             * @example Seats
             */
            name: string;
            /**
             * @description one_time: charged once, on the next invoice; recurring: every period; quantity: every period, for each unit attached.
             * @example quantity
             * @enum {string}
             */
            kind: "one_time" | "recurring" | "quantity";
            /**
             * @description Price in major units; of kind quantity the price of one.
             * @example 5
             */
            price: number;
            /**
             * @description ISO 4217 code of the price, in lower case.
             * @example usd
             */
            currency: string;
            /**
             * @description archived: it can't be attached any more; what is attached goes on.
             * @example active
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When the add-on was made.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
        };
        Coupon: {
            /**
             * @description Id of a coupon.
             * @example coupon_01jd3k9x
             */
            coupon_id: string;
            /**
             * @description What lines of invoices call it.
             * @example Launch offer
             */
            name: string;
            /**
             * @description Percentage that is taken off: above 0, to 100.
             * @example 15
             */
            percent_off: number | null;
            /**
             * @description Amount that is taken off each invoice at most, in major units of currency.
             * @example null
             */
            amount_off: number | null;
            /**
             * @description ISO 4217 code of amount_off, in lower case; null with percent_off.
             * @example null
             */
            currency: string | null;
            /**
             * @description once: one invoice; repeating: duration_in_periods of them; forever: all.
             * @example repeating
             * @enum {string}
             */
            duration: "once" | "repeating" | "forever";
            /**
             * @description How many invoices it lowers, with duration repeating.
             * @example 3
             */
            duration_in_periods: number | null;
            /**
             * @description What customers type in: 3 to 64 of A-Z, 0-9, - and _, in any case; one of its kind among active coupons.
             * @example LAUNCH-15
             */
            code: string | null;
            /**
             * @description How often it may be redeemed in all; null: without end.
             * @example 100
             */
            max_redemptions: number | null;
            /**
             * @description Until when it may be redeemed: a date, the last day in the customer's time zone, or a date-time; null: without end.
             * @example 2027-01-31
             */
            redeem_by: string | null;
            /** @description Which lines it is for; null: all of its subscription. */
            applies_to: {
                /**
                 * @description Only lines of these plans; null: of any.
                 * @example [
                 *       "plan_01jd3k9x"
                 *     ]
                 */
                plan_ids: string[] | null;
                /**
                 * @description Only lines of these metrics; null: of any.
                 * @example [
                 *       "metric_01jd3k9x"
                 *     ]
                 */
                metric_ids: string[] | null;
                /**
                 * @description Only lines of these types; null: of any.
                 * @example [
                 *       "recurring_fee"
                 *     ]
                 */
                line_types: ("recurring_fee" | "prepaid_units" | "usage" | "addon" | "proration" | "late_usage" | "true_up")[] | null;
            } | null;
            /**
             * @description How often it has been redeemed.
             * @example 4
             */
            times_redeemed: number;
            /**
             * @description archived: it can't be redeemed any more; what was redeemed goes on.
             * @example active
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When the coupon was made.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
        };
        MetricAccess: {
            /** @description Whom the answer is about. */
            customer: {
                /**
                 * @description Id of the customer, chosen by you.
                 * @example acme
                 */
                customer_id: string;
                /**
                 * @description Display name, as invoices show it.
                 * @example Acme Inc.
                 */
                customer_name: string;
                /**
                 * @description Primary billing address.
                 * @example billing@acme.example
                 */
                email: string;
            };
            /** @description The metric that was asked about. */
            metric: {
                /**
                 * @description Id of a metric.
                 * @example metric_01jd3k9x
                 */
                metric_id: string;
                /**
                 * @description Display name of a metric; need not be unique.
                 * @example API calls
                 */
                metric_name: string;
                /**
                 * @description Which events count; null means all.
                 * @example api_call
                 */
                event_name: string | null;
            };
            /**
             * @description Whether the customer may use it now, by any of its subscriptions.
             * @example true
             */
            access: boolean;
            /**
             * @description Why there is no access, or `paused`; null where an active subscription gives it.
             * @example null
             */
            reason: ("no_subscription" | "not_in_plan" | "limit_reached" | "paused") | null;
            /**
             * @description Usage in the current period of the subscription that gives access; null where nothing is measured.
             * @example 42
             */
            usage: number | null;
            /**
             * @description The most that may be used in a period; null: unlimited, or nothing is measured.
             * @example 100
             */
            limit: number | null;
            /**
             * @description What of the limit is left, 0 or more; null where there is no limit.
             * @example 58
             */
            remaining: number | null;
            /**
             * Format: date-time
             * @description When usage starts anew: the end of the current period.
             * @example 2026-12-20T00:00:00.000Z
             */
            resets_at: string | null;
            /**
             * Format: date-time
             * @description Usage accepted up to this time is counted.
             * @example 2026-11-20T10:00:00.000Z
             */
            as_of: string;
            /** @description The same for each active or paused subscription, oldest first. */
            access_per_subscription: components["schemas"]["SubscriptionAccess"][];
        };
        SubscriptionAccess: {
            /** @description The subscription that this entry is about. */
            subscription: {
                /**
                 * @description Id of a subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
                /**
                 * @description The plan of the subscription.
                 * @example plan_01jd3k9x
                 */
                plan_id: string;
                /**
                 * @description The version of the plan that the subscription is on.
                 * @example 1
                 */
                version: number;
                /**
                 * Format: date
                 * @description First day of the subscription, in the customer's time zone.
                 * @example 2026-11-20
                 */
                start_date: string;
                /**
                 * Format: date
                 * @description Day on which the subscription ends by plan; null: none is planned.
                 * @example null
                 */
                end_date: string | null;
            };
            /**
             * @description Usage in the subscription's current period; null where its plan names nothing that is measured.
             * @example 42
             */
            metric_usage: number | null;
            /**
             * @description Units included at no cost; null where nothing bills the metric.
             * @example null
             */
            metric_free_limit: number | null;
            /**
             * @description The feature's limit; null: unlimited.
             * @example 100
             */
            metric_total_limit: number | null;
            /**
             * @description Whether the customer may use it now, by any of its subscriptions.
             * @example true
             */
            access: boolean;
        };
        FeatureAccess: {
            /** @description Whom the answer is about. */
            customer: {
                /**
                 * @description Id of the customer, chosen by you.
                 * @example acme
                 */
                customer_id: string;
                /**
                 * @description Display name, as invoices show it.
                 * @example Acme Inc.
                 */
                customer_name: string;
                /**
                 * @description Primary billing address.
                 * @example billing@acme.example
                 */
                email: string;
            };
            /** @description The feature that was asked about. */
            feature: {
                /**
                 * @description Id of a feature: one for each name in the account.
                 * @example feat_01jd3k9x
                 */
                feature_id: string;
                /**
                 * @description Name of the feature.
                 * @example sso
                 */
                name: string;
            };
            /**
             * @description Whether the customer may use it now, by any of its subscriptions.
             * @example true
             */
            access: boolean;
            /**
             * @description Why there is no access, or `paused`; null where an active subscription gives it.
             * @example null
             */
            reason: ("no_subscription" | "not_in_plan" | "limit_reached" | "paused") | null;
            /**
             * @description Usage in the current period of the subscription that gives access; null where nothing is measured.
             * @example 42
             */
            usage: number | null;
            /**
             * @description The most that may be used in a period; null: unlimited, or nothing is measured.
             * @example 100
             */
            limit: number | null;
            /**
             * @description What of the limit is left, 0 or more; null where there is no limit.
             * @example 58
             */
            remaining: number | null;
            /**
             * Format: date-time
             * @description When usage starts anew: the end of the current period.
             * @example 2026-12-20T00:00:00.000Z
             */
            resets_at: string | null;
            /**
             * Format: date-time
             * @description Usage accepted up to this time is counted.
             * @example 2026-11-20T10:00:00.000Z
             */
            as_of: string;
            /** @description The same for each active or paused subscription, oldest first. */
            access_per_subscription: components["schemas"]["SubscriptionAccess"][];
        };
        AccessEntry: {
            /**
             * @description What it is.
             * @example feature
             * @enum {string}
             */
            type: "feature" | "metric";
            /**
             * @description Id of the feature or of the metric.
             * @example feat_01jd3k9x
             */
            id: string;
            /**
             * @description Its name.
             * @example sso
             */
            name: string;
            /**
             * @description Whether the customer may use it now, by any of its subscriptions.
             * @example true
             */
            access: boolean;
            /**
             * @description Why there is no access, or `paused`; null where an active subscription gives it.
             * @example null
             */
            reason: ("no_subscription" | "not_in_plan" | "limit_reached" | "paused") | null;
            /**
             * @description Usage in the current period of the subscription that gives access; null where nothing is measured.
             * @example 42
             */
            usage: number | null;
            /**
             * @description The most that may be used in a period; null: unlimited, or nothing is measured.
             * @example 100
             */
            limit: number | null;
            /**
             * @description What of the limit is left, 0 or more; null where there is no limit.
             * @example 58
             */
            remaining: number | null;
            /**
             * Format: date-time
             * @description When usage starts anew: the end of the current period.
             * @example 2026-12-20T00:00:00.000Z
             */
            resets_at: string | null;
        };
        PlanSwitch: {
            /**
             * @description Id of a subscription.
             * @example sub_01jd3k9x
             */
            subscription_id: string;
            /**
             * @description Who subscribes.
             * @example acme
             */
            customer_id: string;
            /**
             * @description The plan that it is on.
             * @example plan_01jd3k9x
             */
            plan_id: string;
            /**
             * @description The version of the plan that it is on.
             * @example 1
             */
            version: number;
            /**
             * @description Id of that version.
             * @example planv_01jd3k9x
             */
            version_id: string;
            /**
             * @description ISO 4217 code of what it is billed in, in lower case.
             * @example usd
             */
            currency: string;
            /** @description What is agreed on instead of what the plan says; null: nothing. */
            overrides: components["schemas"]["PlanOverrides"] | null;
            /**
             * @description pending: not begun; active; paused: nothing is billed; canceled and expired: it has ended.
             * @example active
             * @enum {string}
             */
            status: "pending" | "active" | "paused" | "canceled" | "expired";
            /**
             * Format: date
             * @description First day, in the customer's time zone.
             * @example 2026-11-20
             */
            start_date: string;
            /**
             * @description Days of its trial; null: it has none.
             * @example null
             */
            trial_days: number | null;
            /**
             * Format: date
             * @description The day on which its trial ends, or ended, and billing periods begin; null: it has none.
             * @example null
             */
            trial_ends_at: string | null;
            /**
             * Format: date
             * @description The day on which the subscription ends by plan; null: none is planned.
             * @example null
             */
            end_date: string | null;
            /**
             * @description Whether another period follows; if not, the subscription expires at the end of the current one.
             * @example true
             */
            auto_renew: boolean;
            /**
             * @description Length of a period: monthly is 30 days, quarterly 90, annual 365.
             * @example monthly
             * @enum {string}
             */
            billing_period: "monthly" | "quarterly" | "annual";
            /**
             * @description Whether the recurring fee is charged at the end (in_arrears) or the start (in_advance) of a period.
             * @example in_arrears
             * @enum {string}
             */
            charge_timing: "in_arrears" | "in_advance";
            /**
             * Format: date-time
             * @description Where the current billing period begins.
             * @example 2026-11-20T00:00:00.000Z
             */
            current_period_start: string | null;
            /**
             * Format: date-time
             * @description Where the current billing period ends, exclusive.
             * @example 2026-12-20T00:00:00.000Z
             */
            current_period_end: string | null;
            /**
             * Format: date-time
             * @description Where that begins which components bill next: the billing period, or with usage_period monthly the month.
             * @example 2026-11-20T00:00:00.000Z
             */
            current_usage_period_start: string | null;
            /**
             * Format: date-time
             * @description Where it ends, exclusive.
             * @example 2026-12-20T00:00:00.000Z
             */
            current_usage_period_end: string | null;
            /**
             * @description What a day of the current period is a part of: its days; of a shorter first one of a calendar, those of the whole one.
             * @example 30
             */
            days_in_period: number;
            /**
             * Format: date-time
             * @description When a planned cancel happens; null where none is planned.
             * @example null
             */
            cancel_at: string | null;
            /**
             * Format: date-time
             * @description When it ended; null until then.
             * @example null
             */
            canceled_at: string | null;
            /**
             * @description Why it ended: canceled, expired or switched; null until then.
             * @example null
             */
            cancel_reason: string | null;
            /**
             * Format: date-time
             * @description Since when it has been paused; null where it is not.
             * @example null
             */
            paused_at: string | null;
            /** @description A switch that is planned; null where none is. */
            pending_change: {
                /**
                 * @description The plan it switches to.
                 * @example plan_01jd3k9y
                 */
                new_plan_id: string;
                /**
                 * Format: date
                 * @description The day on which it happens.
                 * @example 2026-11-20
                 */
                effective_date: string;
                /**
                 * @description Whether it is billed with the next invoice or now.
                 * @example add_to_next_invoice
                 * @enum {string}
                 */
                invoicing_behavior: "add_to_next_invoice" | "invoice_now";
                /**
                 * @description Whether usage of the whole period is rated by the new plan, or the new one starts at zero.
                 * @example transfer_to_new_subscription
                 * @enum {string}
                 */
                usage_behavior: "transfer_to_new_subscription" | "reset_usage";
                /** @description What is agreed on for then instead of what the plan says; null: nothing. */
                overrides: components["schemas"]["PlanOverrides"] | null;
            } | null;
            /** @description What is agreed on for later dates and has not begun, in their order. */
            phases: {
                /**
                 * Format: date
                 * @description The day from which it holds: of the plan that the subscription is on, from the first billing period after it.
                 * @example 2027-01-01
                 */
                start_date: string;
                /**
                 * @description Another plan to switch to; without it the plan stays.
                 * @example null
                 */
                plan_id: string | null;
                /**
                 * @description Version of the plan; without it the one that the subscription is on, of another plan the newest by then.
                 * @example null
                 */
                version: number | null;
                /** @description What is agreed on instead of what the plan says; without it nothing. */
                overrides: components["schemas"]["PlanOverrides"] | null;
            }[];
            /** @description Add-ons that are attached. */
            addons: components["schemas"]["AddonSubscription"][];
            /** @description Units paid ahead by metric, and what of them is used in the current period. */
            prepaid_units: {
                /**
                 * @description The metric whose units are paid ahead.
                 * @example metric_01jd3k9x
                 */
                metric_id: string;
                /**
                 * @description Units paid ahead each period.
                 * @example 1000
                 */
                units: number;
                /**
                 * @description Units used in the current period.
                 * @example 100
                 */
                used: number;
                /**
                 * @description Units of them that are left in the current period, 0 or more.
                 * @example 900
                 */
                remaining: number;
            }[];
            /**
             * @description The subscription that this one replaced by a switch.
             * @example null
             */
            previous_subscription_id: string | null;
            /**
             * @description The subscription that replaced this one by a switch.
             * @example null
             */
            replaced_by: string | null;
            /**
             * Format: date-time
             * @description When the subscription was made; in clock time on a test clock.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /**
             * @description The caller's own texts: up to 50 keys with values of up to 500 characters.
             * @example {
             *       "team": "growth"
             *     }
             */
            metadata: {
                [key: string]: string;
            };
            /** @description What the switch charges or credits now; null for a planned one and where the period itself is closed. */
            proration: components["schemas"]["Proration"] | null;
            /**
             * @description The invoice that the switch made; null where it made none.
             * @example null
             */
            invoice_id: string | null;
        };
        Proration: {
            /**
             * @description What the switch charges or credits, in major units.
             * @example 20
             */
            amount: number;
            /**
             * @description Whether the proration is a charge, a credit, or none.
             * @example charge
             * @enum {string}
             */
            direction: "charge" | "credit" | "none";
            /**
             * @description Calendar days from the change to the end of the period; the day of the change counts.
             * @example 10
             */
            days_remaining: number;
            /**
             * @description Calendar days of the current period.
             * @example 30
             */
            days_in_period: number;
        };
        TimelineStep: {
            /**
             * Format: date-time
             * @description When it happened, or is planned to happen.
             * @example 2026-11-20T10:00:00.000Z
             */
            at: string;
            /**
             * @description What happened, or will.
             * @example renewed
             */
            kind: string;
            /**
             * @description done, or planned as things stand.
             * @example done
             * @enum {string}
             */
            status: "done" | "planned";
            /**
             * @description The step in words.
             * @example Period 2 from 2026-12-20 to 2027-01-19
             */
            detail: string;
            /**
             * @description The invoice that it made; null where it made none.
             * @example null
             */
            invoice_id: string | null;
            /**
             * Format: date-time
             * @description When the pending invoice of a period that has ended is made; null in every other step.
             * @example null
             */
            due_at: string | null;
        };
        SubscriptionWorkflow: {
            /**
             * @description The workflow's id in Temporal.
             * @example subscription/acct_01jd3k9x/sub_01jd3k9x
             */
            workflow_id: string;
            /**
             * @description The namespace that the workflow is in.
             * @example default
             */
            namespace: string;
            /**
             * @description The workflow's page in Temporal's UI; null where the service was not told where that is.
             * @example http://127.0.0.1:8233/namespaces/default/workflows/subscription%2Facct_01jd3k9x%2Fsub_01jd3k9x
             */
            url: string | null;
        };
        Discount: {
            /**
             * @description Id of a discount.
             * @example disc_01jd3k9x
             */
            discount_id: string;
            /**
             * @description The coupon that was redeemed.
             * @example coupon_01jd3k9x
             */
            coupon_id: string;
            /**
             * @description The subscription that has it; a switch takes it along.
             * @example sub_01jd3k9x
             */
            subscription_id: string;
            /**
             * @description ended: its periods are used; removed: by a call.
             * @example active
             * @enum {string}
             */
            status: "active" | "ended" | "removed";
            /**
             * @description How many invoices it has lowered.
             * @example 1
             */
            periods_used: number;
            /**
             * @description How many it has left; null: without end.
             * @example 2
             */
            periods_remaining: number | null;
            /**
             * Format: date-time
             * @description When it was redeemed; in clock time for customers on a test clock.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
        };
        ParityDifference: {
            /**
             * @description The invoice that differs from what is computed again.
             * @example inv_01jd3k9x
             */
            invoice_id: string;
            /**
             * @description Number of the invoice: per account, without gaps, in order of issue.
             * @example INV-000001
             */
            invoice_number: string;
            /**
             * @description The line that differs; null where it is the invoice as a whole.
             * @example line_01jd3k9x
             */
            line_id: string | null;
            /**
             * @description What differs.
             * @example amount
             * @enum {string}
             */
            field: "quantity" | "amount" | "subtotal" | "tax_amount" | "total";
            /**
             * @description What the issued invoice says.
             * @example 12.5
             */
            billed: number;
            /**
             * @description What comes out when it is computed again.
             * @example 12
             */
            recomputed: number;
            /**
             * Format: date-time
             * @description When it was first found.
             * @example 2026-11-20T03:00:04.120Z
             */
            found_at: string;
        };
        PaymentProvider: {
            /**
             * @description The payment processor.
             * @example stripe
             * @enum {string}
             */
            provider: "stripe" | "braintree";
            /**
             * @description Whether the account has connected this processor.
             * @example true
             */
            connected: boolean;
            /**
             * @description The account's id at the processor.
             * @example acct_1032D82eZvKYlo2C
             */
            account_id: string | null;
            /**
             * @description When it was connected.
             * @example 2026-11-20T10:00:00.000Z
             */
            connected_at: string | null;
        };
        /** @description Where to send the owner of the account at the processor. */
        PaymentProviderAuthorization: {
            /**
             * Format: uri
             * @description Where to send the person who grants access at the processor; good for 10 minutes, once.
             * @example https://connect.stripe.com/oauth/authorize
             */
            authorization_url: string;
        };
        TestClock: {
            /**
             * @description Id of the test clock.
             * @example clock_01jd3k9x
             */
            test_clock_id: string;
            /**
             * @description What the clock is for; null: nothing.
             * @example null
             */
            name: string | null;
            /**
             * Format: date-time
             * @description The time that the clock shows.
             * @example 2026-11-20T10:00:00.000Z
             */
            frozen_time: string;
            /**
             * @description advancing: what falls due until the new time is being done.
             * @example ready
             * @enum {string}
             */
            status: "ready" | "advancing" | "failed";
        };
        WebhookEndpointWithSecret: {
            /**
             * @description Id of a webhook endpoint.
             * @example wh_01jd3k9x
             */
            webhook_endpoint_id: string;
            /**
             * @description What the endpoint is for; null: nothing.
             * @example Billing
             */
            name: string | null;
            /**
             * @description Where events are sent.
             * @example https://app.acme.example/webhooks
             */
            webhook_url: string;
            /**
             * @description Types of events that are sent; by default all.
             * @example [
             *       "invoice.created",
             *       "subscription.created"
             *     ]
             */
            triggers_in: ("subscription.created" | "subscription.activated" | "subscription.trial_will_end" | "subscription.trial_ended" | "subscription.renewed" | "subscription.plan_changed" | "subscription.paused" | "subscription.resumed" | "subscription.canceled" | "subscription.failed" | "invoice.created" | "invoice.paid" | "invoice.voided" | "invoice.past_due" | "refund.created" | "refund.succeeded" | "credit.created")[];
            /**
             * @description disabled: nothing is sent to it.
             * @example active
             * @enum {string}
             */
            status: "active" | "disabled";
            /**
             * Format: date-time
             * @description When the endpoint was made.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /**
             * @description The secret that signs what is sent: shown this once.
             * @example whsec_...
             */
            webhook_secret: string;
        };
        WebhookEndpoint: {
            /**
             * @description Id of a webhook endpoint.
             * @example wh_01jd3k9x
             */
            webhook_endpoint_id: string;
            /**
             * @description What the endpoint is for; null: nothing.
             * @example Billing
             */
            name: string | null;
            /**
             * @description Where events are sent.
             * @example https://app.acme.example/webhooks
             */
            webhook_url: string;
            /**
             * @description Types of events that are sent; by default all.
             * @example [
             *       "invoice.created",
             *       "subscription.created"
             *     ]
             */
            triggers_in: ("subscription.created" | "subscription.activated" | "subscription.trial_will_end" | "subscription.trial_ended" | "subscription.renewed" | "subscription.plan_changed" | "subscription.paused" | "subscription.resumed" | "subscription.canceled" | "subscription.failed" | "invoice.created" | "invoice.paid" | "invoice.voided" | "invoice.past_due" | "refund.created" | "refund.succeeded" | "credit.created")[];
            /**
             * @description disabled: nothing is sent to it.
             * @example active
             * @enum {string}
             */
            status: "active" | "disabled";
            /**
             * Format: date-time
             * @description When the endpoint was made.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
        };
        WebhookDelivery: {
            /**
             * @description Id of a delivery: one for each event and endpoint.
             * @example whd_01jd3k9x
             */
            delivery_id: string;
            /**
             * @description Id of the event, the same for every endpoint and retry.
             * @example evt_01jd3k9x
             */
            event_id: string;
            /**
             * @description Type of the webhook event.
             * @example invoice.created
             */
            event_type: string;
            /**
             * @description pending: it is tried again; failed: it is not, but by a redelivery.
             * @example succeeded
             * @enum {string}
             */
            status: "pending" | "succeeded" | "failed";
            /** @description Attempts to deliver it, oldest first. */
            attempts: {
                /**
                 * Format: date-time
                 * @description When it was tried.
                 * @example 2026-11-20T10:00:00.000Z
                 */
                at: string;
                /**
                 * @description Status code of the answer; null where none came.
                 * @example 200
                 */
                status_code: number | null;
                /**
                 * @description Why the attempt failed; null where an answer came.
                 * @example null
                 */
                error: string | null;
                /**
                 * @description Milliseconds that the attempt took.
                 * @example 120
                 */
                duration_ms: number;
            }[];
            /**
             * Format: date-time
             * @description When it is tried again; null where it is not.
             * @example null
             */
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @description When the event happened.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
        };
        WebhookDeliveryWithBody: {
            /**
             * @description Id of a delivery: one for each event and endpoint.
             * @example whd_01jd3k9x
             */
            delivery_id: string;
            /**
             * @description Id of the event, the same for every endpoint and retry.
             * @example evt_01jd3k9x
             */
            event_id: string;
            /**
             * @description Type of the webhook event.
             * @example invoice.created
             */
            event_type: string;
            /**
             * @description pending: it is tried again; failed: it is not, but by a redelivery.
             * @example succeeded
             * @enum {string}
             */
            status: "pending" | "succeeded" | "failed";
            /** @description Attempts to deliver it, oldest first. */
            attempts: {
                /**
                 * Format: date-time
                 * @description When it was tried.
                 * @example 2026-11-20T10:00:00.000Z
                 */
                at: string;
                /**
                 * @description Status code of the answer; null where none came.
                 * @example 200
                 */
                status_code: number | null;
                /**
                 * @description Why the attempt failed; null where an answer came.
                 * @example null
                 */
                error: string | null;
                /**
                 * @description Milliseconds that the attempt took.
                 * @example 120
                 */
                duration_ms: number;
            }[];
            /**
             * Format: date-time
             * @description When it is tried again; null where it is not.
             * @example null
             */
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @description When the event happened.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /** @description The body of each attempt. */
            body: {
                /**
                 * @description Id of the event.
                 * @example evt_01jd3k9x
                 */
                id: string;
                /**
                 * @description Type of the event.
                 * @example invoice.created
                 */
                type: string;
                /**
                 * Format: date-time
                 * @description When the event happened.
                 * @example 2026-11-20T10:00:00.000Z
                 */
                timestamp: string;
                /** @description The record that the event is about, as it was then. */
                data: {
                    [key: string]: unknown;
                };
            };
        };
        WebhookDeliveryOfEndpoint: {
            /**
             * @description Id of a delivery: one for each event and endpoint.
             * @example whd_01jd3k9x
             */
            delivery_id: string;
            /**
             * @description Id of the event, the same for every endpoint and retry.
             * @example evt_01jd3k9x
             */
            event_id: string;
            /**
             * @description Type of the webhook event.
             * @example invoice.created
             */
            event_type: string;
            /**
             * @description pending: it is tried again; failed: it is not, but by a redelivery.
             * @example succeeded
             * @enum {string}
             */
            status: "pending" | "succeeded" | "failed";
            /** @description Attempts to deliver it, oldest first. */
            attempts: {
                /**
                 * Format: date-time
                 * @description When it was tried.
                 * @example 2026-11-20T10:00:00.000Z
                 */
                at: string;
                /**
                 * @description Status code of the answer; null where none came.
                 * @example 200
                 */
                status_code: number | null;
                /**
                 * @description Why the attempt failed; null where an answer came.
                 * @example null
                 */
                error: string | null;
                /**
                 * @description Milliseconds that the attempt took.
                 * @example 120
                 */
                duration_ms: number;
            }[];
            /**
             * Format: date-time
             * @description When it is tried again; null where it is not.
             * @example null
             */
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @description When the event happened.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /**
             * @description The endpoint that is told.
             * @example wh_01jd3k9x
             */
            webhook_endpoint_id: string;
            /**
             * @description Where the endpoint has its events sent now.
             * @example https://app.acme.example/webhooks
             */
            webhook_url: string;
        };
        AuditEntry: {
            /**
             * @description Id of the entry.
             * @example audit_01jd3k9x
             */
            audit_id: string;
            /**
             * Format: date-time
             * @description When it was done, in real time, also on a test clock.
             * @example 2026-11-20T10:00:00.000Z
             */
            at: string;
            /** @description Who did it. */
            actor: {
                /**
                 * @description An API key, the same key from the console, the operator by a command, or the service by itself as time passes.
                 * @example key
                 * @enum {string}
                 */
                type: "key" | "console" | "cli" | "system";
                /**
                 * @description The API key; null for cli and system.
                 * @example key_01jd3k9x
                 */
                key_id: string | null;
                /**
                 * @description What the key is called.
                 * @example edge
                 */
                key_name: string | null;
            };
            /**
             * @description What was done to which kind of thing.
             * @example customer.updated
             */
            action: string;
            /**
             * @description The kind of thing.
             * @example customer
             */
            resource_type: string;
            /**
             * @description Id of the thing.
             * @example acme
             */
            resource_id: string;
            /**
             * @description The customer it is of, where it is of one.
             * @example acme
             */
            customer_id: string | null;
            /** @description Its record before; null where it was made. */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description Its record after; null where it is gone. */
            after: {
                [key: string]: unknown;
            } | null;
            /** @description The fields that differ. */
            changes: {
                /**
                 * @description A field of the record.
                 * @example email
                 */
                field: string;
                /**
                 * @description What it was.
                 * @example old@acme.example
                 */
                before?: unknown;
                /**
                 * @description What it is.
                 * @example billing@acme.example
                 */
                after?: unknown;
            }[];
            /**
             * @description The request, as X-Request-Id told it.
             * @example req_01jd3k9x
             */
            request_id: string | null;
            /**
             * @description The address that it came from.
             * @example 203.0.113.7
             */
            ip: string | null;
        };
        TrackedBatch: {
            /**
             * @description How many are stored, repeats included.
             * @example 2
             */
            accepted: number;
            /** @description Those that are not stored; with `accepted` all that was sent. */
            rejected: {
                /**
                 * @description Its place in the order sent, from 0.
                 * @example 1
                 */
                index: number;
                /**
                 * @description As sent, where it is a string.
                 * @example e-2
                 */
                idempotency_id: string | null;
                /**
                 * @description What is wrong, by field; under `event` what is wrong with it as a whole.
                 * @example {
                 *       "customer_id": [
                 *         "Required."
                 *       ]
                 *     }
                 */
                errors: {
                    [key: string]: string[];
                };
            }[];
        };
        EventsRejected: {
            /**
             * @description How many were rejected.
             * @example 1 of 3 events were rejected, the others are stored.
             */
            detail: string;
            /**
             * @description That some events of a batch were rejected.
             * @example events_rejected
             * @enum {string}
             */
            code: "events_rejected";
            /**
             * @description The X-Request-Id of the answer.
             * @example req_01jd3k9x
             */
            request_id: string;
            /**
             * @description How many are stored, repeats included.
             * @example 2
             */
            accepted: number;
            /** @description Those that are not stored. */
            rejected: {
                /**
                 * @description Its place in the order sent, from 0.
                 * @example 1
                 */
                index: number;
                /**
                 * @description Its id, where it can be made.
                 * @example /gateway 8
                 */
                idempotency_id: string | null;
                /**
                 * @description What is wrong, by attribute.
                 * @example {
                 *       "subject": [
                 *         "Required."
                 *       ]
                 *     }
                 */
                errors: {
                    [key: string]: string[];
                };
            }[];
        };
        LagoValidationErrors: {
            /**
             * @description The status of the answer.
             * @example 422
             * @enum {number}
             */
            status: 422;
            /**
             * @description The status in words.
             * @example Unprocessable Entity
             * @enum {string}
             */
            error: "Unprocessable Entity";
            /**
             * @description That fields are wrong.
             * @example validation_errors
             * @enum {string}
             */
            code: "validation_errors";
            /**
             * @description What is wrong, by field; of a batch by the index of the event, then by field.
             * @example {
             *       "code": [
             *         "Required."
             *       ]
             *     }
             */
            error_details: {
                [key: string]: string[] | {
                    [key: string]: string[];
                };
            };
            /**
             * @description What is wrong, for people.
             * @example The event was rejected: error_details says what is wrong, by field.
             */
            detail: string;
            /**
             * @description The X-Request-Id of the answer.
             * @example req_01jd3k9x
             */
            request_id: string;
        };
    };
    responses: {
        /** @description Malformed, or it contradicts itself. */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The body is not valid JSON.",
                 *       "code": "bad_request",
                 *       "request_id": "req_01jd3k9x"
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The API key is missing or not valid. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The API key is not valid.",
                 *       "code": "unauthorized",
                 *       "request_id": "req_01jd3k9x"
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The API key lacks the scope. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The API key lacks the scope write.",
                 *       "code": "forbidden",
                 *       "request_id": "req_01jd3k9x"
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description It does not exist in this account. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "No such customer acme.",
                 *       "code": "not_found",
                 *       "request_id": "req_01jd3k9x"
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The state of the resource does not allow this, or the id is taken. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The subscription is canceled.",
                 *       "code": "http_409",
                 *       "request_id": "req_01jd3k9x"
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is too large. */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The body is larger than 1 MiB.",
                 *       "code": "too_large",
                 *       "request_id": "req_01jd3k9x"
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is compressed or otherwise encoded: only those of events may be, by gzip or zstd. */
        UnsupportedContentEncoding: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The body must not be encoded: send it without Content-Encoding.",
                 *       "code": "unsupported_content_encoding",
                 *       "request_id": "req_01jd3k9x"
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description Fields or parameters are missing or wrong: all of them, by name. */
        Invalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "customer_id": [
                 *         "Required."
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["FieldErrors"];
            };
        };
        /** @description Too many requests; Retry-After says how many seconds to wait. */
        TooManyRequests: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "Too many requests.",
                 *       "code": "too_many_requests",
                 *       "request_id": "req_01jd3k9x"
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description A part of the service is away; Retry-After says when to try again. */
        Unavailable: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "A part of the service is not reachable right now. Try again.",
                 *       "code": "unavailable",
                 *       "request_id": "req_01jd3k9x"
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    trackEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_name": "api_call",
                 *       "customer_id": "acme",
                 *       "idempotency_id": "e-1",
                 *       "time_created": "2026-11-20T10:00:00.000Z",
                 *       "properties": {
                 *         "region": "eu",
                 *         "bytes": 1024
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What happened.
                     * @example api_call
                     */
                    event_name: string;
                    /**
                     * @description Whose usage it is; the customer need not exist yet.
                     * @example acme
                     */
                    customer_id: string;
                    /**
                     * @description Id of the event, chosen by the caller. A repeated one is counted once, for ever.
                     * @example e-1
                     */
                    idempotency_id: string;
                    /**
                     * Format: date-time
                     * @description When it happened, from 2000-01-01 to 24 hours ahead (in test mode to 2299-12-31); finer than a millisecond is truncated.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    time_created: string;
                    /** @description Up to 100 keys of 1 to 256 characters. */
                    properties?: {
                        [key: string]: string | number | boolean;
                    };
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": "all",
                     *       "idempotency_id": "e-1",
                     *       "status": "queued"
                     *     }
                     */
                    "application/json": components["schemas"]["TrackedEvent"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveOverview: {
        parameters: {
            query?: {
                /**
                 * @description First day, of UTC.
                 * @example 2026-11-01
                 */
                start?: string;
                /**
                 * @description The day after the last one, of UTC.
                 * @example 2026-12-01
                 */
                end?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "as_of": "2026-11-20T10:00:00.000Z",
                     *       "currencies": [
                     *         {
                     *           "currency": {
                     *             "code": "USD",
                     *             "name": "US Dollar",
                     *             "symbol": "$"
                     *           },
                     *           "mrr": 165,
                     *           "invoiced": 1200,
                     *           "invoiced_per_day": [
                     *             {
                     *               "date": "2026-11-20",
                     *               "amount": 40
                     *             }
                     *           ],
                     *           "receivables": {
                     *             "not_due": 100,
                     *             "days_1_30": 100,
                     *             "days_31_60": 100,
                     *             "days_61_90": 100,
                     *             "days_over_90": 100,
                     *             "total": 100,
                     *             "count": 3
                     *           }
                     *         }
                     *       ],
                     *       "events_per_day": [
                     *         {
                     *           "date": "2026-11-20",
                     *           "events": 1000
                     *         }
                     *       ],
                     *       "customers": 120,
                     *       "subscriptions": {
                     *         "pending": 1,
                     *         "active": 110,
                     *         "paused": 2
                     *       },
                     *       "payments": {
                     *         "succeeded": 40,
                     *         "failed": 2
                     *       },
                     *       "ingestion": {
                     *         "accepted": 1,
                     *         "landed": 1,
                     *         "repeated": 1,
                     *         "missing": 1,
                     *         "dead_lettered": 1,
                     *         "lag_seconds": 0.2
                     *       },
                     *       "next_closings": [
                     *         {
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "customer_id": "acme",
                     *           "plan_name": "Pro",
                     *           "at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Overview"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    searchRecords: {
        parameters: {
            query: {
                /**
                 * @description An id, an invoice's number, words of a customer, or a name in the catalog.
                 * @example acme
                 */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "type": "customer",
                     *           "id": "acme",
                     *           "title": "Acme Inc.",
                     *           "detail": "billing@acme.example",
                     *           "customer_id": "acme"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SearchResults"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "account_id": "acct_01jd3k9x",
                     *       "name": "Acme",
                     *       "mode": "test",
                     *       "default_currency": "usd",
                     *       "net_terms_days": 0,
                     *       "invoice_grace_seconds": 0,
                     *       "rate_limit": null,
                     *       "payment_retry_days": [
                     *         1,
                     *         3,
                     *         5,
                     *         7
                     *       ],
                     *       "late_usage": "next_invoice"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "net_terms_days": 14,
                 *       "late_usage": "next_invoice"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What the account is called, on its invoices too.
                     * @example Acme
                     */
                    name?: string;
                    /**
                     * @description Currency of new customers, plans and add-ons that name none.
                     * @example usd
                     */
                    default_currency?: string;
                    /**
                     * @description Days from issue to due date.
                     * @example 0
                     */
                    net_terms_days?: number;
                    /**
                     * @description How long a closing waits after the end of a period.
                     * @example 0
                     */
                    invoice_grace_seconds?: number;
                    /**
                     * @description Requests per second and key; null: no limit.
                     * @example null
                     */
                    rate_limit?: number | null;
                    /**
                     * @description Days after a failed charge on which it is tried again.
                     * @example [
                     *       1,
                     *       3,
                     *       5,
                     *       7
                     *     ]
                     */
                    payment_retry_days?: number[];
                    /**
                     * @description What happens with usage that arrives for a billed period: next_invoice bills the difference, ignore does not.
                     * @example next_invoice
                     * @enum {string}
                     */
                    late_usage?: "next_invoice" | "ignore";
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "account_id": "acct_01jd3k9x",
                     *       "name": "Acme",
                     *       "mode": "test",
                     *       "default_currency": "usd",
                     *       "net_terms_days": 0,
                     *       "invoice_grace_seconds": 0,
                     *       "rate_limit": null,
                     *       "payment_retry_days": [
                     *         1,
                     *         3,
                     *         5,
                     *         7
                     *       ],
                     *       "late_usage": "next_invoice"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "key_id": "key_01jd3k9x",
                     *           "name": "edge",
                     *           "prefix": "mb_test_1a2b",
                     *           "scopes": [
                     *             "events:write",
                     *             "read"
                     *           ],
                     *           "created_at": "2026-11-20T10:00:00.000Z",
                     *           "expires_at": "2026-11-20T10:00:00.000Z",
                     *           "last_used_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["ApiKey"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "edge",
                 *       "scopes": [
                 *         "events:write"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What the key is for, so that people can tell it from others.
                     * @example edge
                     */
                    name: string;
                    /**
                     * @description What the key may do, none implying another; by default all of it.
                     * @example [
                     *       "events:write",
                     *       "read"
                     *     ]
                     */
                    scopes?: ("events:write" | "read" | "write" | "admin")[];
                    /**
                     * Format: date-time
                     * @description From when on the key is of no use; null: it never expires.
                     * @example null
                     */
                    expires_at?: string | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key_id": "key_01jd3k9x",
                     *       "name": "edge",
                     *       "prefix": "mb_test_1a2b",
                     *       "scopes": [
                     *         "events:write",
                     *         "read"
                     *       ],
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "expires_at": "2026-11-20T10:00:00.000Z",
                     *       "last_used_at": "2026-11-20T10:00:00.000Z",
                     *       "key": "mb_test_..."
                     *     }
                     */
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of an API key.
                 * @example key_01jd3k9x
                 */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "overlap_seconds": 3600
                 *     }
                 */
                "application/json": {
                    /**
                     * @description For how long the old key works beside the new one.
                     * @example 3600
                     */
                    overlap_seconds?: number;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key_id": "key_01jd3k9x",
                     *       "name": "edge",
                     *       "prefix": "mb_test_1a2b",
                     *       "scopes": [
                     *         "events:write",
                     *         "read"
                     *       ],
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "expires_at": "2026-11-20T10:00:00.000Z",
                     *       "last_used_at": "2026-11-20T10:00:00.000Z",
                     *       "key": "mb_test_..."
                     *     }
                     */
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of an API key.
                 * @example key_01jd3k9x
                 */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "force": false
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Revoke the key even if it is the last one with scope admin.
                     * @default false
                     * @example false
                     */
                    force?: boolean;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key_id": "key_01jd3k9x",
                     *       "name": "edge",
                     *       "prefix": "mb_test_1a2b",
                     *       "scopes": [
                     *         "events:write",
                     *         "read"
                     *       ],
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "expires_at": "2026-11-20T10:00:00.000Z",
                     *       "last_used_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listCustomers: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
                /**
                 * @description Beginnings of words of id, name or email, in any case; all of them must be there.
                 * @example ann acme
                 */
                search?: string;
                /**
                 * @description Only customers in the time of this test clock.
                 * @example clock_01jd3k9x
                 */
                test_clock_id?: string;
                /**
                 * @description Only customers that this one is billed for.
                 * @example acme
                 */
                billed_to?: string;
                /** @description A field, lowest first; with - before it highest first. Without, newest first. */
                sort?: "created_at" | "-created_at" | "customer_name" | "-customer_name" | "customer_id" | "-customer_id";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "customer_id": "acme",
                     *           "customer_name": "Acme Inc.",
                     *           "email": "billing@acme.example",
                     *           "default_currency": {
                     *             "code": "USD",
                     *             "name": "US Dollar",
                     *             "symbol": "$"
                     *           },
                     *           "payment_provider": null,
                     *           "payment_provider_id": null,
                     *           "has_payment_method": false,
                     *           "tax_rate": 0,
                     *           "timezone": "Europe/Berlin",
                     *           "billing_address": {
                     *             "line1": "Main Street 1",
                     *             "city": "Berlin",
                     *             "state": "BE",
                     *             "postal_code": "10115",
                     *             "country": "DE"
                     *           },
                     *           "subscriptions": [
                     *             {
                     *               "subscription_id": "sub_01jd3k9x",
                     *               "customer_id": "acme",
                     *               "plan_id": "plan_01jd3k9x",
                     *               "version": 1,
                     *               "version_id": "planv_01jd3k9x",
                     *               "currency": "usd",
                     *               "overrides": {
                     *                 "recurring_fee": 19,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130,
                     *                 "components": [
                     *                   {
                     *                     "metric_id": "metric_01jd3k9x",
                     *                     "pricing_model": "per_unit",
                     *                     "overage_price": 0.002,
                     *                     "tiers": [
                     *                       {
                     *                         "up_to": 1000,
                     *                         "unit_price": 0.002,
                     *                         "flat_fee": 0
                     *                       }
                     *                     ],
                     *                     "package_size": null,
                     *                     "percentage": null,
                     *                     "fixed_amount": null,
                     *                     "per_event_minimum": null,
                     *                     "per_event_maximum": null,
                     *                     "minimum_amount": 40,
                     *                     "maximum_amount": 130
                     *                   }
                     *                 ]
                     *               },
                     *               "status": "active",
                     *               "start_date": "2026-11-20",
                     *               "trial_days": null,
                     *               "trial_ends_at": null,
                     *               "end_date": null,
                     *               "auto_renew": true,
                     *               "billing_period": "monthly",
                     *               "charge_timing": "in_arrears",
                     *               "current_period_start": "2026-11-20T00:00:00.000Z",
                     *               "current_period_end": "2026-12-20T00:00:00.000Z",
                     *               "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                     *               "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                     *               "days_in_period": 30,
                     *               "cancel_at": null,
                     *               "canceled_at": null,
                     *               "cancel_reason": null,
                     *               "paused_at": null,
                     *               "pending_change": {
                     *                 "new_plan_id": "plan_01jd3k9y",
                     *                 "effective_date": "2026-11-20",
                     *                 "invoicing_behavior": "add_to_next_invoice",
                     *                 "usage_behavior": "transfer_to_new_subscription",
                     *                 "overrides": {
                     *                   "recurring_fee": 19,
                     *                   "minimum_amount": 40,
                     *                   "maximum_amount": 130,
                     *                   "components": [
                     *                     {
                     *                       "metric_id": "metric_01jd3k9x",
                     *                       "pricing_model": "per_unit",
                     *                       "overage_price": 0.002,
                     *                       "tiers": [
                     *                         {
                     *                           "up_to": 1000,
                     *                           "unit_price": 0.002,
                     *                           "flat_fee": 0
                     *                         }
                     *                       ],
                     *                       "package_size": null,
                     *                       "percentage": null,
                     *                       "fixed_amount": null,
                     *                       "per_event_minimum": null,
                     *                       "per_event_maximum": null,
                     *                       "minimum_amount": 40,
                     *                       "maximum_amount": 130
                     *                     }
                     *                   ]
                     *                 }
                     *               },
                     *               "phases": [
                     *                 {
                     *                   "start_date": "2027-01-01",
                     *                   "plan_id": null,
                     *                   "version": null,
                     *                   "overrides": {
                     *                     "recurring_fee": 19,
                     *                     "minimum_amount": 40,
                     *                     "maximum_amount": 130,
                     *                     "components": [
                     *                       {
                     *                         "metric_id": "metric_01jd3k9x",
                     *                         "pricing_model": "per_unit",
                     *                         "overage_price": 0.002,
                     *                         "tiers": [
                     *                           {
                     *                             "up_to": 1000,
                     *                             "unit_price": 0.002,
                     *                             "flat_fee": 0
                     *                           }
                     *                         ],
                     *                         "package_size": null,
                     *                         "percentage": null,
                     *                         "fixed_amount": null,
                     *                         "per_event_minimum": null,
                     *                         "per_event_maximum": null,
                     *                         "minimum_amount": 40,
                     *                         "maximum_amount": 130
                     *                       }
                     *                     ]
                     *                   }
                     *                 }
                     *               ],
                     *               "addons": [
                     *                 {
                     *                   "addon_subscription_id": "addonsub_01jd3k9x",
                     *                   "addon_id": "addon_01jd3k9x",
                     *                   "subscription_id": "sub_01jd3k9x",
                     *                   "quantity": 3,
                     *                   "status": "active",
                     *                   "attached_at": "2026-11-20T10:00:00.000Z"
                     *                 }
                     *               ],
                     *               "prepaid_units": [
                     *                 {
                     *                   "metric_id": "metric_01jd3k9x",
                     *                   "units": 1000,
                     *                   "used": 100,
                     *                   "remaining": 900
                     *                 }
                     *               ],
                     *               "previous_subscription_id": null,
                     *               "replaced_by": null,
                     *               "created_at": "2026-11-20T10:00:00.000Z",
                     *               "metadata": {
                     *                 "team": "growth"
                     *               }
                     *             }
                     *           ],
                     *           "invoices": [
                     *             {
                     *               "invoice_id": "inv_01jd3k9x",
                     *               "invoice_number": "INV-000001",
                     *               "customer_id": "acme",
                     *               "subscription_id": "sub_01jd3k9x",
                     *               "kind": "period",
                     *               "status": "open",
                     *               "currency": {
                     *                 "code": "USD",
                     *                 "name": "US Dollar",
                     *                 "symbol": "$"
                     *               },
                     *               "issue_date": "2026-11-20",
                     *               "due_date": "2026-11-20",
                     *               "period_start": "2026-11-20T00:00:00.000Z",
                     *               "period_end": "2026-12-20T00:00:00.000Z",
                     *               "lines": [
                     *                 {
                     *                   "line_id": "line_01jd3k9x",
                     *                   "customer_id": "acme",
                     *                   "type": "usage",
                     *                   "description": "API calls",
                     *                   "subscription_id": "sub_01jd3k9x",
                     *                   "plan_id": "plan_01jd3k9x",
                     *                   "version": 1,
                     *                   "overridden": false,
                     *                   "metric_id": null,
                     *                   "addon_id": null,
                     *                   "credit_id": null,
                     *                   "period_start": "2026-11-20T00:00:00.000Z",
                     *                   "period_end": "2026-12-20T00:00:00.000Z",
                     *                   "quantity": 1,
                     *                   "billable_quantity": 50,
                     *                   "unit_price": 29,
                     *                   "amount": 29,
                     *                   "tiers": [
                     *                     {
                     *                       "up_to": 1000,
                     *                       "quantity": 50,
                     *                       "unit_price": 0.002,
                     *                       "flat_fee": 0,
                     *                       "amount": 0.1
                     *                     }
                     *                   ],
                     *                   "events_count": null,
                     *                   "discount_amount": 0
                     *                 }
                     *               ],
                     *               "sections": [
                     *                 {
                     *                   "customer_id": "acme-berlin",
                     *                   "subscription_id": "sub_01jd3k9x",
                     *                   "kind": "period",
                     *                   "period_start": "2026-11-20T00:00:00.000Z",
                     *                   "period_end": "2026-12-20T00:00:00.000Z",
                     *                   "subtotal": 29
                     *                 }
                     *               ],
                     *               "charges_subtotal": 29,
                     *               "subtotal": 29,
                     *               "discount_amount": 0,
                     *               "tax_rate": 0,
                     *               "tax_amount": 0,
                     *               "total": 29,
                     *               "credits_applied": 0,
                     *               "amount_paid": 0,
                     *               "amount_refunded": 0,
                     *               "amount_due": 29,
                     *               "past_due": false,
                     *               "created_at": "2026-11-20T10:00:00.000Z",
                     *               "paid_at": null,
                     *               "voided_at": null,
                     *               "payments": [
                     *                 {
                     *                   "payment_id": "pay_01jd3k9x",
                     *                   "method": "manual",
                     *                   "amount": 29,
                     *                   "reference": "transfer 4711",
                     *                   "paid_at": "2026-11-20T10:00:00.000Z"
                     *                 }
                     *               ],
                     *               "billing_address": {
                     *                 "line1": "Main Street 1",
                     *                 "city": "Berlin",
                     *                 "state": "BE",
                     *                 "postal_code": "10115",
                     *                 "country": "DE"
                     *               },
                     *               "customer_name": "Acme Inc.",
                     *               "test_clock_id": null
                     *             }
                     *           ],
                     *           "total_amount_due": 0,
                     *           "test_clock_id": null,
                     *           "billed_to": null,
                     *           "metadata": {
                     *             "team": "growth"
                     *           },
                     *           "created_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["Customer"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    createCustomer: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "customer_id": "acme",
                 *       "email": "billing@acme.example",
                 *       "customer_name": "Acme Inc.",
                 *       "timezone": "Europe/Berlin"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Id of the customer, chosen by you: 1 to 256 characters.
                     * @example acme
                     */
                    customer_id: string;
                    /**
                     * Format: email
                     * @description Primary billing address.
                     * @example billing@acme.example
                     */
                    email: string;
                    /**
                     * @description Display name, as invoices show it.
                     * @default
                     * @example Acme Inc.
                     */
                    customer_name?: string;
                    /**
                     * @description ISO 4217 code of the customer's invoices, in any case; by default the account's.
                     * @example usd
                     */
                    default_currency_code?: string;
                    /**
                     * @description IANA name of the time zone that periods and days are in.
                     * @default UTC
                     * @example Europe/Berlin
                     */
                    timezone?: string;
                    /**
                     * @description Tax of its invoices in percent: 10.5 is 10.5 percent.
                     * @default 0
                     * @example 19
                     */
                    tax_rate?: number;
                    /**
                     * @description The address on its invoices; null: none.
                     * @default null
                     */
                    billing_address?: {
                        /**
                         * @description Street and number.
                         * @example Main Street 1
                         */
                        line1?: string;
                        /**
                         * @description City.
                         * @example Berlin
                         */
                        city?: string;
                        /**
                         * @description State or region.
                         * @example BE
                         */
                        state?: string;
                        /**
                         * @description Postal code.
                         * @example 10115
                         */
                        postal_code?: string;
                        /**
                         * @description Country.
                         * @example DE
                         */
                        country?: string;
                    } | null;
                    /**
                     * @description The payment processor of the customer; null until set.
                     * @default null
                     * @example null
                     * @enum {string|null}
                     */
                    payment_provider?: "stripe" | "braintree" | null;
                    /**
                     * @description The customer's id at the processor; null until set.
                     * @default null
                     * @example null
                     */
                    payment_provider_id?: string | null;
                    /**
                     * @description The test clock that the customer lives on; null: real time.
                     * @default null
                     * @example null
                     */
                    test_clock_id?: string | null;
                    /**
                     * @description The customer that is billed for this one, on consolidated invoices; of the same currency, time zone and test clock. Null: it is billed itself.
                     * @default null
                     * @example null
                     */
                    billed_to?: string | null;
                    /**
                     * @description The caller's own texts: up to 50 keys with values of up to 500 characters.
                     * @example {
                     *       "team": "growth"
                     *     }
                     */
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "customer_id": "acme",
                     *       "customer_name": "Acme Inc.",
                     *       "email": "billing@acme.example",
                     *       "default_currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "payment_provider": null,
                     *       "payment_provider_id": null,
                     *       "has_payment_method": false,
                     *       "tax_rate": 0,
                     *       "timezone": "Europe/Berlin",
                     *       "billing_address": {
                     *         "line1": "Main Street 1",
                     *         "city": "Berlin",
                     *         "state": "BE",
                     *         "postal_code": "10115",
                     *         "country": "DE"
                     *       },
                     *       "subscriptions": [
                     *         {
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "customer_id": "acme",
                     *           "plan_id": "plan_01jd3k9x",
                     *           "version": 1,
                     *           "version_id": "planv_01jd3k9x",
                     *           "currency": "usd",
                     *           "overrides": {
                     *             "recurring_fee": 19,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130,
                     *             "components": [
                     *               {
                     *                 "metric_id": "metric_01jd3k9x",
                     *                 "pricing_model": "per_unit",
                     *                 "overage_price": 0.002,
                     *                 "tiers": [
                     *                   {
                     *                     "up_to": 1000,
                     *                     "unit_price": 0.002,
                     *                     "flat_fee": 0
                     *                   }
                     *                 ],
                     *                 "package_size": null,
                     *                 "percentage": null,
                     *                 "fixed_amount": null,
                     *                 "per_event_minimum": null,
                     *                 "per_event_maximum": null,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130
                     *               }
                     *             ]
                     *           },
                     *           "status": "active",
                     *           "start_date": "2026-11-20",
                     *           "trial_days": null,
                     *           "trial_ends_at": null,
                     *           "end_date": null,
                     *           "auto_renew": true,
                     *           "billing_period": "monthly",
                     *           "charge_timing": "in_arrears",
                     *           "current_period_start": "2026-11-20T00:00:00.000Z",
                     *           "current_period_end": "2026-12-20T00:00:00.000Z",
                     *           "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                     *           "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                     *           "days_in_period": 30,
                     *           "cancel_at": null,
                     *           "canceled_at": null,
                     *           "cancel_reason": null,
                     *           "paused_at": null,
                     *           "pending_change": {
                     *             "new_plan_id": "plan_01jd3k9y",
                     *             "effective_date": "2026-11-20",
                     *             "invoicing_behavior": "add_to_next_invoice",
                     *             "usage_behavior": "transfer_to_new_subscription",
                     *             "overrides": {
                     *               "recurring_fee": 19,
                     *               "minimum_amount": 40,
                     *               "maximum_amount": 130,
                     *               "components": [
                     *                 {
                     *                   "metric_id": "metric_01jd3k9x",
                     *                   "pricing_model": "per_unit",
                     *                   "overage_price": 0.002,
                     *                   "tiers": [
                     *                     {
                     *                       "up_to": 1000,
                     *                       "unit_price": 0.002,
                     *                       "flat_fee": 0
                     *                     }
                     *                   ],
                     *                   "package_size": null,
                     *                   "percentage": null,
                     *                   "fixed_amount": null,
                     *                   "per_event_minimum": null,
                     *                   "per_event_maximum": null,
                     *                   "minimum_amount": 40,
                     *                   "maximum_amount": 130
                     *                 }
                     *               ]
                     *             }
                     *           },
                     *           "phases": [
                     *             {
                     *               "start_date": "2027-01-01",
                     *               "plan_id": null,
                     *               "version": null,
                     *               "overrides": {
                     *                 "recurring_fee": 19,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130,
                     *                 "components": [
                     *                   {
                     *                     "metric_id": "metric_01jd3k9x",
                     *                     "pricing_model": "per_unit",
                     *                     "overage_price": 0.002,
                     *                     "tiers": [
                     *                       {
                     *                         "up_to": 1000,
                     *                         "unit_price": 0.002,
                     *                         "flat_fee": 0
                     *                       }
                     *                     ],
                     *                     "package_size": null,
                     *                     "percentage": null,
                     *                     "fixed_amount": null,
                     *                     "per_event_minimum": null,
                     *                     "per_event_maximum": null,
                     *                     "minimum_amount": 40,
                     *                     "maximum_amount": 130
                     *                   }
                     *                 ]
                     *               }
                     *             }
                     *           ],
                     *           "addons": [
                     *             {
                     *               "addon_subscription_id": "addonsub_01jd3k9x",
                     *               "addon_id": "addon_01jd3k9x",
                     *               "subscription_id": "sub_01jd3k9x",
                     *               "quantity": 3,
                     *               "status": "active",
                     *               "attached_at": "2026-11-20T10:00:00.000Z"
                     *             }
                     *           ],
                     *           "prepaid_units": [
                     *             {
                     *               "metric_id": "metric_01jd3k9x",
                     *               "units": 1000,
                     *               "used": 100,
                     *               "remaining": 900
                     *             }
                     *           ],
                     *           "previous_subscription_id": null,
                     *           "replaced_by": null,
                     *           "created_at": "2026-11-20T10:00:00.000Z",
                     *           "metadata": {
                     *             "team": "growth"
                     *           }
                     *         }
                     *       ],
                     *       "invoices": [
                     *         {
                     *           "invoice_id": "inv_01jd3k9x",
                     *           "invoice_number": "INV-000001",
                     *           "customer_id": "acme",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "kind": "period",
                     *           "status": "open",
                     *           "currency": {
                     *             "code": "USD",
                     *             "name": "US Dollar",
                     *             "symbol": "$"
                     *           },
                     *           "issue_date": "2026-11-20",
                     *           "due_date": "2026-11-20",
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "lines": [
                     *             {
                     *               "line_id": "line_01jd3k9x",
                     *               "customer_id": "acme",
                     *               "type": "usage",
                     *               "description": "API calls",
                     *               "subscription_id": "sub_01jd3k9x",
                     *               "plan_id": "plan_01jd3k9x",
                     *               "version": 1,
                     *               "overridden": false,
                     *               "metric_id": null,
                     *               "addon_id": null,
                     *               "credit_id": null,
                     *               "period_start": "2026-11-20T00:00:00.000Z",
                     *               "period_end": "2026-12-20T00:00:00.000Z",
                     *               "quantity": 1,
                     *               "billable_quantity": 50,
                     *               "unit_price": 29,
                     *               "amount": 29,
                     *               "tiers": [
                     *                 {
                     *                   "up_to": 1000,
                     *                   "quantity": 50,
                     *                   "unit_price": 0.002,
                     *                   "flat_fee": 0,
                     *                   "amount": 0.1
                     *                 }
                     *               ],
                     *               "events_count": null,
                     *               "discount_amount": 0
                     *             }
                     *           ],
                     *           "sections": [
                     *             {
                     *               "customer_id": "acme-berlin",
                     *               "subscription_id": "sub_01jd3k9x",
                     *               "kind": "period",
                     *               "period_start": "2026-11-20T00:00:00.000Z",
                     *               "period_end": "2026-12-20T00:00:00.000Z",
                     *               "subtotal": 29
                     *             }
                     *           ],
                     *           "charges_subtotal": 29,
                     *           "subtotal": 29,
                     *           "discount_amount": 0,
                     *           "tax_rate": 0,
                     *           "tax_amount": 0,
                     *           "total": 29,
                     *           "credits_applied": 0,
                     *           "amount_paid": 0,
                     *           "amount_refunded": 0,
                     *           "amount_due": 29,
                     *           "past_due": false,
                     *           "created_at": "2026-11-20T10:00:00.000Z",
                     *           "paid_at": null,
                     *           "voided_at": null,
                     *           "payments": [
                     *             {
                     *               "payment_id": "pay_01jd3k9x",
                     *               "method": "manual",
                     *               "amount": 29,
                     *               "reference": "transfer 4711",
                     *               "paid_at": "2026-11-20T10:00:00.000Z"
                     *             }
                     *           ],
                     *           "billing_address": {
                     *             "line1": "Main Street 1",
                     *             "city": "Berlin",
                     *             "state": "BE",
                     *             "postal_code": "10115",
                     *             "country": "DE"
                     *           },
                     *           "customer_name": "Acme Inc.",
                     *           "test_clock_id": null
                     *         }
                     *       ],
                     *       "total_amount_due": 0,
                     *       "test_clock_id": null,
                     *       "billed_to": null,
                     *       "metadata": {
                     *         "team": "growth"
                     *       },
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Customer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a customer, chosen by the caller: 1 to 256 characters.
                 * @example acme
                 */
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "customer_id": "acme",
                     *       "customer_name": "Acme Inc.",
                     *       "email": "billing@acme.example",
                     *       "default_currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "payment_provider": null,
                     *       "payment_provider_id": null,
                     *       "has_payment_method": false,
                     *       "tax_rate": 0,
                     *       "timezone": "Europe/Berlin",
                     *       "billing_address": {
                     *         "line1": "Main Street 1",
                     *         "city": "Berlin",
                     *         "state": "BE",
                     *         "postal_code": "10115",
                     *         "country": "DE"
                     *       },
                     *       "subscriptions": [
                     *         {
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "customer_id": "acme",
                     *           "plan_id": "plan_01jd3k9x",
                     *           "version": 1,
                     *           "version_id": "planv_01jd3k9x",
                     *           "currency": "usd",
                     *           "overrides": {
                     *             "recurring_fee": 19,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130,
                     *             "components": [
                     *               {
                     *                 "metric_id": "metric_01jd3k9x",
                     *                 "pricing_model": "per_unit",
                     *                 "overage_price": 0.002,
                     *                 "tiers": [
                     *                   {
                     *                     "up_to": 1000,
                     *                     "unit_price": 0.002,
                     *                     "flat_fee": 0
                     *                   }
                     *                 ],
                     *                 "package_size": null,
                     *                 "percentage": null,
                     *                 "fixed_amount": null,
                     *                 "per_event_minimum": null,
                     *                 "per_event_maximum": null,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130
                     *               }
                     *             ]
                     *           },
                     *           "status": "active",
                     *           "start_date": "2026-11-20",
                     *           "trial_days": null,
                     *           "trial_ends_at": null,
                     *           "end_date": null,
                     *           "auto_renew": true,
                     *           "billing_period": "monthly",
                     *           "charge_timing": "in_arrears",
                     *           "current_period_start": "2026-11-20T00:00:00.000Z",
                     *           "current_period_end": "2026-12-20T00:00:00.000Z",
                     *           "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                     *           "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                     *           "days_in_period": 30,
                     *           "cancel_at": null,
                     *           "canceled_at": null,
                     *           "cancel_reason": null,
                     *           "paused_at": null,
                     *           "pending_change": {
                     *             "new_plan_id": "plan_01jd3k9y",
                     *             "effective_date": "2026-11-20",
                     *             "invoicing_behavior": "add_to_next_invoice",
                     *             "usage_behavior": "transfer_to_new_subscription",
                     *             "overrides": {
                     *               "recurring_fee": 19,
                     *               "minimum_amount": 40,
                     *               "maximum_amount": 130,
                     *               "components": [
                     *                 {
                     *                   "metric_id": "metric_01jd3k9x",
                     *                   "pricing_model": "per_unit",
                     *                   "overage_price": 0.002,
                     *                   "tiers": [
                     *                     {
                     *                       "up_to": 1000,
                     *                       "unit_price": 0.002,
                     *                       "flat_fee": 0
                     *                     }
                     *                   ],
                     *                   "package_size": null,
                     *                   "percentage": null,
                     *                   "fixed_amount": null,
                     *                   "per_event_minimum": null,
                     *                   "per_event_maximum": null,
                     *                   "minimum_amount": 40,
                     *                   "maximum_amount": 130
                     *                 }
                     *               ]
                     *             }
                     *           },
                     *           "phases": [
                     *             {
                     *               "start_date": "2027-01-01",
                     *               "plan_id": null,
                     *               "version": null,
                     *               "overrides": {
                     *                 "recurring_fee": 19,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130,
                     *                 "components": [
                     *                   {
                     *                     "metric_id": "metric_01jd3k9x",
                     *                     "pricing_model": "per_unit",
                     *                     "overage_price": 0.002,
                     *                     "tiers": [
                     *                       {
                     *                         "up_to": 1000,
                     *                         "unit_price": 0.002,
                     *                         "flat_fee": 0
                     *                       }
                     *                     ],
                     *                     "package_size": null,
                     *                     "percentage": null,
                     *                     "fixed_amount": null,
                     *                     "per_event_minimum": null,
                     *                     "per_event_maximum": null,
                     *                     "minimum_amount": 40,
                     *                     "maximum_amount": 130
                     *                   }
                     *                 ]
                     *               }
                     *             }
                     *           ],
                     *           "addons": [
                     *             {
                     *               "addon_subscription_id": "addonsub_01jd3k9x",
                     *               "addon_id": "addon_01jd3k9x",
                     *               "subscription_id": "sub_01jd3k9x",
                     *               "quantity": 3,
                     *               "status": "active",
                     *               "attached_at": "2026-11-20T10:00:00.000Z"
                     *             }
                     *           ],
                     *           "prepaid_units": [
                     *             {
                     *               "metric_id": "metric_01jd3k9x",
                     *               "units": 1000,
                     *               "used": 100,
                     *               "remaining": 900
                     *             }
                     *           ],
                     *           "previous_subscription_id": null,
                     *           "replaced_by": null,
                     *           "created_at": "2026-11-20T10:00:00.000Z",
                     *           "metadata": {
                     *             "team": "growth"
                     *           }
                     *         }
                     *       ],
                     *       "invoices": [
                     *         {
                     *           "invoice_id": "inv_01jd3k9x",
                     *           "invoice_number": "INV-000001",
                     *           "customer_id": "acme",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "kind": "period",
                     *           "status": "open",
                     *           "currency": {
                     *             "code": "USD",
                     *             "name": "US Dollar",
                     *             "symbol": "$"
                     *           },
                     *           "issue_date": "2026-11-20",
                     *           "due_date": "2026-11-20",
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "lines": [
                     *             {
                     *               "line_id": "line_01jd3k9x",
                     *               "customer_id": "acme",
                     *               "type": "usage",
                     *               "description": "API calls",
                     *               "subscription_id": "sub_01jd3k9x",
                     *               "plan_id": "plan_01jd3k9x",
                     *               "version": 1,
                     *               "overridden": false,
                     *               "metric_id": null,
                     *               "addon_id": null,
                     *               "credit_id": null,
                     *               "period_start": "2026-11-20T00:00:00.000Z",
                     *               "period_end": "2026-12-20T00:00:00.000Z",
                     *               "quantity": 1,
                     *               "billable_quantity": 50,
                     *               "unit_price": 29,
                     *               "amount": 29,
                     *               "tiers": [
                     *                 {
                     *                   "up_to": 1000,
                     *                   "quantity": 50,
                     *                   "unit_price": 0.002,
                     *                   "flat_fee": 0,
                     *                   "amount": 0.1
                     *                 }
                     *               ],
                     *               "events_count": null,
                     *               "discount_amount": 0
                     *             }
                     *           ],
                     *           "sections": [
                     *             {
                     *               "customer_id": "acme-berlin",
                     *               "subscription_id": "sub_01jd3k9x",
                     *               "kind": "period",
                     *               "period_start": "2026-11-20T00:00:00.000Z",
                     *               "period_end": "2026-12-20T00:00:00.000Z",
                     *               "subtotal": 29
                     *             }
                     *           ],
                     *           "charges_subtotal": 29,
                     *           "subtotal": 29,
                     *           "discount_amount": 0,
                     *           "tax_rate": 0,
                     *           "tax_amount": 0,
                     *           "total": 29,
                     *           "credits_applied": 0,
                     *           "amount_paid": 0,
                     *           "amount_refunded": 0,
                     *           "amount_due": 29,
                     *           "past_due": false,
                     *           "created_at": "2026-11-20T10:00:00.000Z",
                     *           "paid_at": null,
                     *           "voided_at": null,
                     *           "payments": [
                     *             {
                     *               "payment_id": "pay_01jd3k9x",
                     *               "method": "manual",
                     *               "amount": 29,
                     *               "reference": "transfer 4711",
                     *               "paid_at": "2026-11-20T10:00:00.000Z"
                     *             }
                     *           ],
                     *           "billing_address": {
                     *             "line1": "Main Street 1",
                     *             "city": "Berlin",
                     *             "state": "BE",
                     *             "postal_code": "10115",
                     *             "country": "DE"
                     *           },
                     *           "customer_name": "Acme Inc.",
                     *           "test_clock_id": null
                     *         }
                     *       ],
                     *       "total_amount_due": 0,
                     *       "test_clock_id": null,
                     *       "billed_to": null,
                     *       "metadata": {
                     *         "team": "growth"
                     *       },
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Customer"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a customer, chosen by the caller: 1 to 256 characters.
                 * @example acme
                 */
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tax_rate": 19,
                 *       "billing_address": {
                 *         "line1": "Main Street 1",
                 *         "city": "Berlin",
                 *         "country": "DE"
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description Primary billing address.
                     * @example billing@acme.example
                     */
                    email?: string;
                    /**
                     * @description Display name, as invoices to come show it.
                     * @example Acme Inc.
                     */
                    customer_name?: string;
                    /**
                     * @description ISO 4217 code of the customer's invoices, in any case; by default the account's.
                     * @example usd
                     */
                    default_currency_code?: string;
                    /**
                     * @description IANA name of the time zone that periods and days are in.
                     * @example Europe/Berlin
                     */
                    timezone?: string;
                    /**
                     * @description Tax of its invoices to come, in percent.
                     * @default 0
                     * @example 19
                     */
                    tax_rate?: number;
                    /** @description The address on its invoices to come; null: none. */
                    billing_address?: {
                        /**
                         * @description Street and number.
                         * @example Main Street 1
                         */
                        line1?: string;
                        /**
                         * @description City.
                         * @example Berlin
                         */
                        city?: string;
                        /**
                         * @description State or region.
                         * @example BE
                         */
                        state?: string;
                        /**
                         * @description Postal code.
                         * @example 10115
                         */
                        postal_code?: string;
                        /**
                         * @description Country.
                         * @example DE
                         */
                        country?: string;
                    } | null;
                    /**
                     * @description The payment processor of the customer; null until set.
                     * @example null
                     * @enum {string|null}
                     */
                    payment_provider?: "stripe" | "braintree" | null;
                    /**
                     * @description The customer's id at the processor; null until set.
                     * @example null
                     */
                    payment_provider_id?: string | null;
                    /**
                     * @description The test clock that the customer lives on; null: real time.
                     * @example null
                     */
                    test_clock_id?: string | null;
                    /**
                     * @description The customer that is billed for this one, on consolidated invoices; of the same currency, time zone and test clock. Null: it is billed itself.
                     * @example null
                     */
                    billed_to?: string | null;
                    /**
                     * @description The caller's own texts: up to 50 keys with values of up to 500 characters.
                     * @example {
                     *       "team": "growth"
                     *     }
                     */
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "customer_id": "acme",
                     *       "customer_name": "Acme Inc.",
                     *       "email": "billing@acme.example",
                     *       "default_currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "payment_provider": null,
                     *       "payment_provider_id": null,
                     *       "has_payment_method": false,
                     *       "tax_rate": 0,
                     *       "timezone": "Europe/Berlin",
                     *       "billing_address": {
                     *         "line1": "Main Street 1",
                     *         "city": "Berlin",
                     *         "state": "BE",
                     *         "postal_code": "10115",
                     *         "country": "DE"
                     *       },
                     *       "subscriptions": [
                     *         {
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "customer_id": "acme",
                     *           "plan_id": "plan_01jd3k9x",
                     *           "version": 1,
                     *           "version_id": "planv_01jd3k9x",
                     *           "currency": "usd",
                     *           "overrides": {
                     *             "recurring_fee": 19,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130,
                     *             "components": [
                     *               {
                     *                 "metric_id": "metric_01jd3k9x",
                     *                 "pricing_model": "per_unit",
                     *                 "overage_price": 0.002,
                     *                 "tiers": [
                     *                   {
                     *                     "up_to": 1000,
                     *                     "unit_price": 0.002,
                     *                     "flat_fee": 0
                     *                   }
                     *                 ],
                     *                 "package_size": null,
                     *                 "percentage": null,
                     *                 "fixed_amount": null,
                     *                 "per_event_minimum": null,
                     *                 "per_event_maximum": null,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130
                     *               }
                     *             ]
                     *           },
                     *           "status": "active",
                     *           "start_date": "2026-11-20",
                     *           "trial_days": null,
                     *           "trial_ends_at": null,
                     *           "end_date": null,
                     *           "auto_renew": true,
                     *           "billing_period": "monthly",
                     *           "charge_timing": "in_arrears",
                     *           "current_period_start": "2026-11-20T00:00:00.000Z",
                     *           "current_period_end": "2026-12-20T00:00:00.000Z",
                     *           "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                     *           "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                     *           "days_in_period": 30,
                     *           "cancel_at": null,
                     *           "canceled_at": null,
                     *           "cancel_reason": null,
                     *           "paused_at": null,
                     *           "pending_change": {
                     *             "new_plan_id": "plan_01jd3k9y",
                     *             "effective_date": "2026-11-20",
                     *             "invoicing_behavior": "add_to_next_invoice",
                     *             "usage_behavior": "transfer_to_new_subscription",
                     *             "overrides": {
                     *               "recurring_fee": 19,
                     *               "minimum_amount": 40,
                     *               "maximum_amount": 130,
                     *               "components": [
                     *                 {
                     *                   "metric_id": "metric_01jd3k9x",
                     *                   "pricing_model": "per_unit",
                     *                   "overage_price": 0.002,
                     *                   "tiers": [
                     *                     {
                     *                       "up_to": 1000,
                     *                       "unit_price": 0.002,
                     *                       "flat_fee": 0
                     *                     }
                     *                   ],
                     *                   "package_size": null,
                     *                   "percentage": null,
                     *                   "fixed_amount": null,
                     *                   "per_event_minimum": null,
                     *                   "per_event_maximum": null,
                     *                   "minimum_amount": 40,
                     *                   "maximum_amount": 130
                     *                 }
                     *               ]
                     *             }
                     *           },
                     *           "phases": [
                     *             {
                     *               "start_date": "2027-01-01",
                     *               "plan_id": null,
                     *               "version": null,
                     *               "overrides": {
                     *                 "recurring_fee": 19,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130,
                     *                 "components": [
                     *                   {
                     *                     "metric_id": "metric_01jd3k9x",
                     *                     "pricing_model": "per_unit",
                     *                     "overage_price": 0.002,
                     *                     "tiers": [
                     *                       {
                     *                         "up_to": 1000,
                     *                         "unit_price": 0.002,
                     *                         "flat_fee": 0
                     *                       }
                     *                     ],
                     *                     "package_size": null,
                     *                     "percentage": null,
                     *                     "fixed_amount": null,
                     *                     "per_event_minimum": null,
                     *                     "per_event_maximum": null,
                     *                     "minimum_amount": 40,
                     *                     "maximum_amount": 130
                     *                   }
                     *                 ]
                     *               }
                     *             }
                     *           ],
                     *           "addons": [
                     *             {
                     *               "addon_subscription_id": "addonsub_01jd3k9x",
                     *               "addon_id": "addon_01jd3k9x",
                     *               "subscription_id": "sub_01jd3k9x",
                     *               "quantity": 3,
                     *               "status": "active",
                     *               "attached_at": "2026-11-20T10:00:00.000Z"
                     *             }
                     *           ],
                     *           "prepaid_units": [
                     *             {
                     *               "metric_id": "metric_01jd3k9x",
                     *               "units": 1000,
                     *               "used": 100,
                     *               "remaining": 900
                     *             }
                     *           ],
                     *           "previous_subscription_id": null,
                     *           "replaced_by": null,
                     *           "created_at": "2026-11-20T10:00:00.000Z",
                     *           "metadata": {
                     *             "team": "growth"
                     *           }
                     *         }
                     *       ],
                     *       "invoices": [
                     *         {
                     *           "invoice_id": "inv_01jd3k9x",
                     *           "invoice_number": "INV-000001",
                     *           "customer_id": "acme",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "kind": "period",
                     *           "status": "open",
                     *           "currency": {
                     *             "code": "USD",
                     *             "name": "US Dollar",
                     *             "symbol": "$"
                     *           },
                     *           "issue_date": "2026-11-20",
                     *           "due_date": "2026-11-20",
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "lines": [
                     *             {
                     *               "line_id": "line_01jd3k9x",
                     *               "customer_id": "acme",
                     *               "type": "usage",
                     *               "description": "API calls",
                     *               "subscription_id": "sub_01jd3k9x",
                     *               "plan_id": "plan_01jd3k9x",
                     *               "version": 1,
                     *               "overridden": false,
                     *               "metric_id": null,
                     *               "addon_id": null,
                     *               "credit_id": null,
                     *               "period_start": "2026-11-20T00:00:00.000Z",
                     *               "period_end": "2026-12-20T00:00:00.000Z",
                     *               "quantity": 1,
                     *               "billable_quantity": 50,
                     *               "unit_price": 29,
                     *               "amount": 29,
                     *               "tiers": [
                     *                 {
                     *                   "up_to": 1000,
                     *                   "quantity": 50,
                     *                   "unit_price": 0.002,
                     *                   "flat_fee": 0,
                     *                   "amount": 0.1
                     *                 }
                     *               ],
                     *               "events_count": null,
                     *               "discount_amount": 0
                     *             }
                     *           ],
                     *           "sections": [
                     *             {
                     *               "customer_id": "acme-berlin",
                     *               "subscription_id": "sub_01jd3k9x",
                     *               "kind": "period",
                     *               "period_start": "2026-11-20T00:00:00.000Z",
                     *               "period_end": "2026-12-20T00:00:00.000Z",
                     *               "subtotal": 29
                     *             }
                     *           ],
                     *           "charges_subtotal": 29,
                     *           "subtotal": 29,
                     *           "discount_amount": 0,
                     *           "tax_rate": 0,
                     *           "tax_amount": 0,
                     *           "total": 29,
                     *           "credits_applied": 0,
                     *           "amount_paid": 0,
                     *           "amount_refunded": 0,
                     *           "amount_due": 29,
                     *           "past_due": false,
                     *           "created_at": "2026-11-20T10:00:00.000Z",
                     *           "paid_at": null,
                     *           "voided_at": null,
                     *           "payments": [
                     *             {
                     *               "payment_id": "pay_01jd3k9x",
                     *               "method": "manual",
                     *               "amount": 29,
                     *               "reference": "transfer 4711",
                     *               "paid_at": "2026-11-20T10:00:00.000Z"
                     *             }
                     *           ],
                     *           "billing_address": {
                     *             "line1": "Main Street 1",
                     *             "city": "Berlin",
                     *             "state": "BE",
                     *             "postal_code": "10115",
                     *             "country": "DE"
                     *           },
                     *           "customer_name": "Acme Inc.",
                     *           "test_clock_id": null
                     *         }
                     *       ],
                     *       "total_amount_due": 0,
                     *       "test_clock_id": null,
                     *       "billed_to": null,
                     *       "metadata": {
                     *         "team": "growth"
                     *       },
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Customer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteCustomer: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a customer, chosen by the caller: 1 to 256 characters.
                 * @example acme
                 */
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded, no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveDraftInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a customer, chosen by the caller: 1 to 256 characters.
                 * @example acme
                 */
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invoice_id": "inv_01jd3k9x",
                     *       "invoice_number": "INV-000001",
                     *       "customer_id": "acme",
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "kind": "period",
                     *       "status": "open",
                     *       "currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "issue_date": "2026-11-20",
                     *       "due_date": "2026-11-20",
                     *       "period_start": "2026-11-20T00:00:00.000Z",
                     *       "period_end": "2026-12-20T00:00:00.000Z",
                     *       "lines": [
                     *         {
                     *           "line_id": "line_01jd3k9x",
                     *           "customer_id": "acme",
                     *           "type": "usage",
                     *           "description": "API calls",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "plan_id": "plan_01jd3k9x",
                     *           "version": 1,
                     *           "overridden": false,
                     *           "metric_id": null,
                     *           "addon_id": null,
                     *           "credit_id": null,
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "quantity": 1,
                     *           "billable_quantity": 50,
                     *           "unit_price": 29,
                     *           "amount": 29,
                     *           "tiers": [
                     *             {
                     *               "up_to": 1000,
                     *               "quantity": 50,
                     *               "unit_price": 0.002,
                     *               "flat_fee": 0,
                     *               "amount": 0.1
                     *             }
                     *           ],
                     *           "events_count": null,
                     *           "discount_amount": 0
                     *         }
                     *       ],
                     *       "sections": [
                     *         {
                     *           "customer_id": "acme-berlin",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "kind": "period",
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "subtotal": 29
                     *         }
                     *       ],
                     *       "charges_subtotal": 29,
                     *       "subtotal": 29,
                     *       "discount_amount": 0,
                     *       "tax_rate": 0,
                     *       "tax_amount": 0,
                     *       "total": 29,
                     *       "credits_applied": 0,
                     *       "amount_paid": 0,
                     *       "amount_refunded": 0,
                     *       "amount_due": 29,
                     *       "past_due": false,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "paid_at": null,
                     *       "voided_at": null,
                     *       "payments": [
                     *         {
                     *           "payment_id": "pay_01jd3k9x",
                     *           "method": "manual",
                     *           "amount": 29,
                     *           "reference": "transfer 4711",
                     *           "paid_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "billing_address": {
                     *         "line1": "Main Street 1",
                     *         "city": "Berlin",
                     *         "state": "BE",
                     *         "postal_code": "10115",
                     *         "country": "DE"
                     *       },
                     *       "customer_name": "Acme Inc.",
                     *       "test_clock_id": null,
                     *       "as_of": "2026-11-20T10:00:00.000Z",
                     *       "invoices": [
                     *         {
                     *           "invoice_id": "inv_01jd3k9x",
                     *           "invoice_number": "INV-000001",
                     *           "customer_id": "acme",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "kind": "period",
                     *           "status": "open",
                     *           "currency": {
                     *             "code": "USD",
                     *             "name": "US Dollar",
                     *             "symbol": "$"
                     *           },
                     *           "issue_date": "2026-11-20",
                     *           "due_date": "2026-11-20",
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "lines": [
                     *             {
                     *               "line_id": "line_01jd3k9x",
                     *               "customer_id": "acme",
                     *               "type": "usage",
                     *               "description": "API calls",
                     *               "subscription_id": "sub_01jd3k9x",
                     *               "plan_id": "plan_01jd3k9x",
                     *               "version": 1,
                     *               "overridden": false,
                     *               "metric_id": null,
                     *               "addon_id": null,
                     *               "credit_id": null,
                     *               "period_start": "2026-11-20T00:00:00.000Z",
                     *               "period_end": "2026-12-20T00:00:00.000Z",
                     *               "quantity": 1,
                     *               "billable_quantity": 50,
                     *               "unit_price": 29,
                     *               "amount": 29,
                     *               "tiers": [
                     *                 {
                     *                   "up_to": 1000,
                     *                   "quantity": 50,
                     *                   "unit_price": 0.002,
                     *                   "flat_fee": 0,
                     *                   "amount": 0.1
                     *                 }
                     *               ],
                     *               "events_count": null,
                     *               "discount_amount": 0
                     *             }
                     *           ],
                     *           "sections": [
                     *             {
                     *               "customer_id": "acme-berlin",
                     *               "subscription_id": "sub_01jd3k9x",
                     *               "kind": "period",
                     *               "period_start": "2026-11-20T00:00:00.000Z",
                     *               "period_end": "2026-12-20T00:00:00.000Z",
                     *               "subtotal": 29
                     *             }
                     *           ],
                     *           "charges_subtotal": 29,
                     *           "subtotal": 29,
                     *           "discount_amount": 0,
                     *           "tax_rate": 0,
                     *           "tax_amount": 0,
                     *           "total": 29,
                     *           "credits_applied": 0,
                     *           "amount_paid": 0,
                     *           "amount_refunded": 0,
                     *           "amount_due": 29,
                     *           "past_due": false,
                     *           "created_at": "2026-11-20T10:00:00.000Z",
                     *           "paid_at": null,
                     *           "voided_at": null,
                     *           "payments": [
                     *             {
                     *               "payment_id": "pay_01jd3k9x",
                     *               "method": "manual",
                     *               "amount": 29,
                     *               "reference": "transfer 4711",
                     *               "paid_at": "2026-11-20T10:00:00.000Z"
                     *             }
                     *           ],
                     *           "billing_address": {
                     *             "line1": "Main Street 1",
                     *             "city": "Berlin",
                     *             "state": "BE",
                     *             "postal_code": "10115",
                     *             "country": "DE"
                     *           },
                     *           "customer_name": "Acme Inc.",
                     *           "test_clock_id": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DraftInvoice"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    explainDraftLine: {
        parameters: {
            query: {
                /** @description The next_cursor of the page before. */
                cursor?: string;
                /**
                 * @description Events of a page.
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description The subscription of the line.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
                /**
                 * @description The metric of the line; left out for one of none.
                 * @example metric_01jd3k9x
                 */
                metric_id?: string;
                /**
                 * @description What the line charges.
                 * @example usage
                 */
                type?: "usage" | "late_usage" | "prepaid_units" | "true_up" | "discount";
                /**
                 * @description The line's period_start; without it, of several lines the one whose period starts last.
                 * @example 2026-11-20T00:00:00.000Z
                 */
                period_start?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a customer, chosen by the caller: 1 to 256 characters.
                 * @example acme
                 */
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invoice_id": null,
                     *       "invoice_number": null,
                     *       "line_id": null,
                     *       "type": "usage",
                     *       "description": "API calls",
                     *       "currency": "usd",
                     *       "quantity": 1,
                     *       "billable_quantity": 50,
                     *       "events_count": 120,
                     *       "metric": {
                     *         "metric_id": "metric_01jd3k9x",
                     *         "metric_name": "API calls",
                     *         "aggregation_type": "count",
                     *         "event_name": "api_call",
                     *         "property_name": "bytes",
                     *         "numeric_filters": [
                     *           {
                     *             "property_name": "bytes",
                     *             "operator": "gte",
                     *             "comparison_value": 1
                     *           }
                     *         ],
                     *         "categorical_filters": [
                     *           {
                     *             "property_name": "bytes",
                     *             "operator": "gte",
                     *             "comparison_value": [
                     *               "eu",
                     *               "us"
                     *             ]
                     *           }
                     *         ],
                     *         "time_filter": {
                     *           "days_of_week": [
                     *             1,
                     *             2,
                     *             3,
                     *             4,
                     *             5
                     *           ],
                     *           "hours": {
                     *             "from": 9,
                     *             "to": 17
                     *           }
                     *         },
                     *         "is_cost_metric": false,
                     *         "unit_cost": 1,
                     *         "status": "active",
                     *         "created_at": "2026-11-20T10:00:00.000Z"
                     *       },
                     *       "window": {
                     *         "start": "2026-11-20T00:00:00.000Z",
                     *         "end": "2026-12-20T00:00:00.000Z",
                     *         "time_zone": "UTC",
                     *         "position_above": null,
                     *         "position_up_to": null
                     *       },
                     *       "component": {
                     *         "component_id": "comp_01jd3k9x",
                     *         "metric_id": "metric_01jd3k9x",
                     *         "free_tier": 1000,
                     *         "pricing_model": "per_unit",
                     *         "overage_price": 0.002,
                     *         "tiers": [
                     *           {
                     *             "up_to": 1000,
                     *             "unit_price": 0.002,
                     *             "flat_fee": 0
                     *           }
                     *         ],
                     *         "package_size": null,
                     *         "percentage": null,
                     *         "fixed_amount": null,
                     *         "per_event_minimum": null,
                     *         "per_event_maximum": null,
                     *         "group_by": null,
                     *         "prices": null,
                     *         "unmatched": null,
                     *         "rounding": "no_rounding",
                     *         "prepaid_units": 0,
                     *         "minimum_amount": 40,
                     *         "maximum_amount": 130
                     *       },
                     *       "overrides": {
                     *         "recurring_fee": 19,
                     *         "minimum_amount": 40,
                     *         "maximum_amount": 130,
                     *         "components": [
                     *           {
                     *             "metric_id": "metric_01jd3k9x",
                     *             "pricing_model": "per_unit",
                     *             "overage_price": 0.002,
                     *             "tiers": [
                     *               {
                     *                 "up_to": 1000,
                     *                 "unit_price": 0.002,
                     *                 "flat_fee": 0
                     *               }
                     *             ],
                     *             "package_size": null,
                     *             "percentage": null,
                     *             "fixed_amount": null,
                     *             "per_event_minimum": null,
                     *             "per_event_maximum": null,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130
                     *           }
                     *         ]
                     *       },
                     *       "prepaid_units": null,
                     *       "limit": {
                     *         "minimum_amount": 40,
                     *         "maximum_amount": 130,
                     *         "charged": 33.5,
                     *         "trued_up": 0
                     *       },
                     *       "discount": {
                     *         "discount_id": "disc_01jd3k9x",
                     *         "percent_off": 15,
                     *         "amount_off": null,
                     *         "amount": 130
                     *       },
                     *       "steps": [
                     *         {
                     *           "step": "free_tier",
                     *           "text": "120 - 100 free = 20",
                     *           "value": 20
                     *         }
                     *       ],
                     *       "total": 29,
                     *       "events": {
                     *         "count": 120,
                     *         "results": [
                     *           {
                     *             "idempotency_id": "e-1",
                     *             "event_name": "api_call",
                     *             "customer_id": "acme",
                     *             "time_created": "2026-11-20T10:00:00.000Z",
                     *             "received_at": "2026-11-20T10:00:00.000Z",
                     *             "properties": {
                     *               "region": "eu",
                     *               "bytes": 1024
                     *             }
                     *           }
                     *         ],
                     *         "next_cursor": null,
                     *         "next": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DraftLineExplanation"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveCostAnalysis: {
        parameters: {
            query?: {
                /**
                 * @description First day, inclusive.
                 * @example 2026-11-01
                 */
                start_date?: string;
                /**
                 * @description Last day, inclusive.
                 * @example 2026-11-30
                 */
                end_date?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a customer, chosen by the caller: 1 to 256 characters.
                 * @example acme
                 */
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "customer_id": "acme",
                     *       "currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "start_date": "2026-11-01",
                     *       "end_date": "2026-11-30",
                     *       "per_day": [
                     *         {
                     *           "date": "2026-11-20",
                     *           "revenue": 5,
                     *           "cost": 1.5,
                     *           "margin": 3.5,
                     *           "cost_data": [
                     *             {
                     *               "metric_id": "metric_01jd3k9x",
                     *               "metric_name": "API calls",
                     *               "usage": 150,
                     *               "cost": 1.5
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "total_revenue": 5,
                     *       "total_cost": 1.5,
                     *       "total_margin": 3.5,
                     *       "profit_margin": 0.7
                     *     }
                     */
                    "application/json": components["schemas"]["CostAnalysis"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listLedgerTransactions: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a customer, chosen by the caller: 1 to 256 characters.
                 * @example acme
                 */
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "ledger_transaction_id": "ltx_01jd3k9x",
                     *           "kind": "invoice_issued",
                     *           "at": "2026-11-20T10:00:00.000Z",
                     *           "invoice_id": "inv_01jd3k9x",
                     *           "credit_id": null,
                     *           "refund_id": null,
                     *           "entries": [
                     *             {
                     *               "ledger_account": "accounts_receivable",
                     *               "amount": 29
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["LedgerTransaction"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPortalLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a customer, chosen by the caller: 1 to 256 characters.
                 * @example acme
                 */
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "expires_in_seconds": 3600
                 *     }
                 */
                "application/json": {
                    /**
                     * @description For how long the link can be used.
                     * @example 3600
                     */
                    expires_in_seconds?: number;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "portal_link_id": "linkt_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "expires_at": "2026-11-20T10:00:00.000Z",
                     *       "url": "https://billing.acme.example/portal/..."
                     *     }
                     */
                    "application/json": components["schemas"]["NewPortalLink"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPortalLinks: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a customer, chosen by the caller: 1 to 256 characters.
                 * @example acme
                 */
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "portal_link_id": "linkt_01jd3k9x",
                     *           "customer_id": "acme",
                     *           "created_at": "2026-11-20T10:00:00.000Z",
                     *           "expires_at": "2026-11-20T10:00:00.000Z",
                     *           "revoked_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["PortalLink"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokePortalLinks: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a customer, chosen by the caller: 1 to 256 characters.
                 * @example acme
                 */
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "portal_link_id": "linkt_01jd3k9x"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Only this link; without it all of the customer.
                     * @example linkt_01jd3k9x
                     */
                    portal_link_id?: string;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "revoked": 1
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description How many links have become of no use by this.
                         * @example 1
                         */
                        revoked: number;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    verifyEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "idempotency_ids": [
                 *         "e-1",
                 *         "e-2"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Ids to look for.
                     * @example [
                     *       "e-1",
                     *       "e-2"
                     *     ]
                     */
                    idempotency_ids: string[];
                    /**
                     * @description How many days back to look, by the time of receipt.
                     * @example 30
                     */
                    lookback_days?: number;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "success",
                     *       "ids_received": [
                     *         "e-1"
                     *       ],
                     *       "ids_not_found": [
                     *         "e-2"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["VerifiedEvents"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
                /**
                 * @description Only events of this customer.
                 * @example acme
                 */
                customer_id?: string;
                /**
                 * @description Only events of this name.
                 * @example api_call
                 */
                event_name?: string;
                /**
                 * @description Only the event of this id.
                 * @example e-1
                 */
                idempotency_id?: string;
                /**
                 * @description Only events that happened from then on: a date (midnight UTC) or a date-time.
                 * @example 2026-11-01
                 */
                start?: string;
                /**
                 * @description Only events that happened before: a date (midnight UTC) or a date-time.
                 * @example 2026-12-01
                 */
                end?: string;
                /** @description A field, lowest first; with - before it highest first. Without, newest first. */
                sort?: "time_created" | "-time_created";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "idempotency_id": "e-1",
                     *           "event_name": "api_call",
                     *           "customer_id": "acme",
                     *           "time_created": "2026-11-20T10:00:00.000Z",
                     *           "received_at": "2026-11-20T10:00:00.000Z",
                     *           "properties": {
                     *             "region": "eu",
                     *             "bytes": 1024
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["UsageEvent"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    traceEvent: {
        parameters: {
            query: {
                /**
                 * @description The event's idempotency_id.
                 * @example evt-4711
                 */
                idempotency_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "idempotency_id": "evt-4711",
                     *       "status": "landed",
                     *       "event": {
                     *         "idempotency_id": "e-1",
                     *         "event_name": "api_call",
                     *         "customer_id": "acme",
                     *         "time_created": "2026-11-20T10:00:00.000Z",
                     *         "received_at": "2026-11-20T10:00:00.000Z",
                     *         "properties": {
                     *           "region": "eu",
                     *           "bytes": 1024
                     *         }
                     *       },
                     *       "repeats": 0,
                     *       "metrics": [
                     *         {
                     *           "metric_id": "metric_01jd3k9x",
                     *           "counts": true,
                     *           "because": "numeric_filters.0"
                     *         }
                     *       ],
                     *       "billed_in": [
                     *         {
                     *           "invoice_id": "inv_01jd3k9x",
                     *           "invoice_number": "INV-000042",
                     *           "status": "open",
                     *           "line_id": "line_01jd3k9x",
                     *           "type": "usage",
                     *           "metric_id": "metric_01jd3k9x",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "amount": 12.5
                     *         }
                     *       ],
                     *       "reason": null
                     *     }
                     */
                    "application/json": components["schemas"]["EventTrace"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    auditIngestion: {
        parameters: {
            query: {
                /**
                 * @description Inclusive, of the time of receipt, taken down to the hour: a date (midnight UTC) or a date-time.
                 * @example 2026-11-01
                 */
                start: string;
                /**
                 * @description Exclusive, of the time of receipt, taken up to the hour: a date (midnight UTC) or a date-time.
                 * @example 2026-12-01
                 */
                end: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "start": "2026-11-01T00:00:00.000Z",
                     *       "end": "2026-12-01T00:00:00.000Z",
                     *       "accepted": 1,
                     *       "landed": 1,
                     *       "repeated": 1,
                     *       "missing": 1,
                     *       "dead_lettered": 1
                     *     }
                     */
                    "application/json": components["schemas"]["IngestionAudit"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMetrics: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "metric_id": "metric_01jd3k9x",
                     *           "metric_name": "API calls",
                     *           "aggregation_type": "count",
                     *           "event_name": "api_call",
                     *           "property_name": "bytes",
                     *           "numeric_filters": [
                     *             {
                     *               "property_name": "bytes",
                     *               "operator": "gte",
                     *               "comparison_value": 1
                     *             }
                     *           ],
                     *           "categorical_filters": [
                     *             {
                     *               "property_name": "bytes",
                     *               "operator": "gte",
                     *               "comparison_value": [
                     *                 "eu",
                     *                 "us"
                     *               ]
                     *             }
                     *           ],
                     *           "time_filter": {
                     *             "days_of_week": [
                     *               1,
                     *               2,
                     *               3,
                     *               4,
                     *               5
                     *             ],
                     *             "hours": {
                     *               "from": 9,
                     *               "to": 17
                     *             }
                     *           },
                     *           "is_cost_metric": false,
                     *           "unit_cost": 1,
                     *           "status": "active",
                     *           "created_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["Metric"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    createMetric: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "metric_name": "Data sent",
                 *       "aggregation_type": "sum",
                 *       "event_name": "api_call",
                 *       "property_name": "bytes"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Display name of a metric; need not be unique.
                     * @example API calls
                     */
                    metric_name: string;
                    /**
                     * @description How events become one value.
                     * @example count
                     * @enum {string}
                     */
                    aggregation_type: "count" | "sum" | "max" | "unique";
                    /**
                     * @description Which events count; null means all.
                     * @default null
                     * @example api_call
                     */
                    event_name?: string | null;
                    /**
                     * @description The property that is aggregated; none for count.
                     * @default null
                     * @example bytes
                     */
                    property_name?: string | null;
                    /**
                     * @description Conditions on numbers of properties, compared exactly; all filters must hold.
                     * @default []
                     */
                    numeric_filters?: {
                        /**
                         * @description The property that is compared.
                         * @example bytes
                         */
                        property_name: string;
                        /**
                         * @description How it is compared.
                         * @example gte
                         * @enum {string}
                         */
                        operator: "gt" | "gte" | "lt" | "lte" | "eq";
                        /**
                         * @description The number that it is compared with.
                         * @example 1024
                         */
                        comparison_value: number;
                    }[];
                    /**
                     * @description Conditions on texts of properties; all filters must hold.
                     * @default []
                     */
                    categorical_filters?: {
                        /**
                         * @description The property that is compared.
                         * @example region
                         */
                        property_name: string;
                        /**
                         * @description Whether the text must be one of the list, or none of it.
                         * @example isin
                         * @enum {string}
                         */
                        operator: "isin" | "isnotin";
                        /**
                         * @description The texts that it is compared with.
                         * @example [
                         *       "eu",
                         *       "us"
                         *     ]
                         */
                        comparison_value: string[];
                    }[];
                    /**
                     * @description When events count, in the customer's time zone; null: always.
                     * @default null
                     * @example null
                     */
                    time_filter?: {
                        /**
                         * @description Days on which events count, Monday = 1.
                         * @example [
                         *       1,
                         *       2,
                         *       3,
                         *       4,
                         *       5
                         *     ]
                         */
                        days_of_week?: number[];
                        /** @description Hours of the customer's day in which events count. */
                        hours?: {
                            /**
                             * @description First hour, inclusive.
                             * @example 9
                             */
                            from: number;
                            /**
                             * @description Last hour, exclusive.
                             * @example 17
                             */
                            to: number;
                        };
                    } | null;
                    /**
                     * @description Whether the metric counts as a cost in the cost analysis.
                     * @default false
                     * @example false
                     */
                    is_cost_metric?: boolean;
                    /**
                     * @description What a unit of a cost metric costs.
                     * @example 1
                     */
                    unit_cost?: number;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "metric_id": "metric_01jd3k9x",
                     *       "metric_name": "API calls",
                     *       "aggregation_type": "count",
                     *       "event_name": "api_call",
                     *       "property_name": "bytes",
                     *       "numeric_filters": [
                     *         {
                     *           "property_name": "bytes",
                     *           "operator": "gte",
                     *           "comparison_value": 1
                     *         }
                     *       ],
                     *       "categorical_filters": [
                     *         {
                     *           "property_name": "bytes",
                     *           "operator": "gte",
                     *           "comparison_value": [
                     *             "eu",
                     *             "us"
                     *           ]
                     *         }
                     *       ],
                     *       "time_filter": {
                     *         "days_of_week": [
                     *           1,
                     *           2,
                     *           3,
                     *           4,
                     *           5
                     *         ],
                     *         "hours": {
                     *           "from": 9,
                     *           "to": 17
                     *         }
                     *       },
                     *       "is_cost_metric": false,
                     *       "unit_cost": 1,
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Metric"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    previewMetric: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "metric_name": "Data sent",
                 *       "aggregation_type": "sum",
                 *       "event_name": "api_call",
                 *       "property_name": "bytes",
                 *       "customer_id": "acme"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Display name of a metric; need not be unique.
                     * @example API calls
                     */
                    metric_name: string;
                    /**
                     * @description How events become one value.
                     * @example count
                     * @enum {string}
                     */
                    aggregation_type: "count" | "sum" | "max" | "unique";
                    /**
                     * @description Which events count; null means all.
                     * @default null
                     * @example api_call
                     */
                    event_name?: string | null;
                    /**
                     * @description The property that is aggregated; none for count.
                     * @default null
                     * @example bytes
                     */
                    property_name?: string | null;
                    /**
                     * @description Conditions on numbers of properties, compared exactly; all filters must hold.
                     * @default []
                     */
                    numeric_filters?: {
                        /**
                         * @description The property that is compared.
                         * @example bytes
                         */
                        property_name: string;
                        /**
                         * @description How it is compared.
                         * @example gte
                         * @enum {string}
                         */
                        operator: "gt" | "gte" | "lt" | "lte" | "eq";
                        /**
                         * @description The number that it is compared with.
                         * @example 1024
                         */
                        comparison_value: number;
                    }[];
                    /**
                     * @description Conditions on texts of properties; all filters must hold.
                     * @default []
                     */
                    categorical_filters?: {
                        /**
                         * @description The property that is compared.
                         * @example region
                         */
                        property_name: string;
                        /**
                         * @description Whether the text must be one of the list, or none of it.
                         * @example isin
                         * @enum {string}
                         */
                        operator: "isin" | "isnotin";
                        /**
                         * @description The texts that it is compared with.
                         * @example [
                         *       "eu",
                         *       "us"
                         *     ]
                         */
                        comparison_value: string[];
                    }[];
                    /**
                     * @description When events count, in the customer's time zone; null: always.
                     * @default null
                     * @example null
                     */
                    time_filter?: {
                        /**
                         * @description Days on which events count, Monday = 1.
                         * @example [
                         *       1,
                         *       2,
                         *       3,
                         *       4,
                         *       5
                         *     ]
                         */
                        days_of_week?: number[];
                        /** @description Hours of the customer's day in which events count. */
                        hours?: {
                            /**
                             * @description First hour, inclusive.
                             * @example 9
                             */
                            from: number;
                            /**
                             * @description Last hour, exclusive.
                             * @example 17
                             */
                            to: number;
                        };
                    } | null;
                    /**
                     * @description Whether the metric counts as a cost in the cost analysis.
                     * @default false
                     * @example false
                     */
                    is_cost_metric?: boolean;
                    /**
                     * @description What a unit of a cost metric costs.
                     * @example 1
                     */
                    unit_cost?: number;
                    /**
                     * @description Only events of this customer; without it those of all.
                     * @example acme
                     */
                    customer_id?: string;
                    /**
                     * @description Start of time_created, inclusive; 30 days before the end.
                     * @example 2026-11-01
                     */
                    start?: string;
                    /**
                     * @description End of time_created, exclusive; now.
                     * @example 2026-12-01
                     */
                    end?: string;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "value": 42,
                     *       "events_count": 42,
                     *       "matched": [
                     *         {
                     *           "idempotency_id": "e-1",
                     *           "event_name": "api_call",
                     *           "customer_id": "acme",
                     *           "time_created": "2026-11-20T10:00:00.000Z",
                     *           "received_at": "2026-11-20T10:00:00.000Z",
                     *           "properties": {
                     *             "region": "eu",
                     *             "bytes": 1024
                     *           }
                     *         }
                     *       ],
                     *       "excluded": [
                     *         {
                     *           "event": {
                     *             "idempotency_id": "e-1",
                     *             "event_name": "api_call",
                     *             "customer_id": "acme",
                     *             "time_created": "2026-11-20T10:00:00.000Z",
                     *             "received_at": "2026-11-20T10:00:00.000Z",
                     *             "properties": {
                     *               "region": "eu",
                     *               "bytes": 1024
                     *             }
                     *           },
                     *           "because": "numeric_filters.0"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["MetricPreview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveMetric: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a metric.
                 * @example metric_01jd3k9x
                 */
                metric_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "metric_id": "metric_01jd3k9x",
                     *       "metric_name": "API calls",
                     *       "aggregation_type": "count",
                     *       "event_name": "api_call",
                     *       "property_name": "bytes",
                     *       "numeric_filters": [
                     *         {
                     *           "property_name": "bytes",
                     *           "operator": "gte",
                     *           "comparison_value": 1
                     *         }
                     *       ],
                     *       "categorical_filters": [
                     *         {
                     *           "property_name": "bytes",
                     *           "operator": "gte",
                     *           "comparison_value": [
                     *             "eu",
                     *             "us"
                     *           ]
                     *         }
                     *       ],
                     *       "time_filter": {
                     *         "days_of_week": [
                     *           1,
                     *           2,
                     *           3,
                     *           4,
                     *           5
                     *         ],
                     *         "hours": {
                     *           "from": 9,
                     *           "to": 17
                     *         }
                     *       },
                     *       "is_cost_metric": false,
                     *       "unit_cost": 1,
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Metric"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateMetric: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a metric.
                 * @example metric_01jd3k9x
                 */
                metric_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "metric_name": "Data out"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Display name of a metric; need not be unique.
                     * @example API calls
                     */
                    metric_name?: string;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "metric_id": "metric_01jd3k9x",
                     *       "metric_name": "API calls",
                     *       "aggregation_type": "count",
                     *       "event_name": "api_call",
                     *       "property_name": "bytes",
                     *       "numeric_filters": [
                     *         {
                     *           "property_name": "bytes",
                     *           "operator": "gte",
                     *           "comparison_value": 1
                     *         }
                     *       ],
                     *       "categorical_filters": [
                     *         {
                     *           "property_name": "bytes",
                     *           "operator": "gte",
                     *           "comparison_value": [
                     *             "eu",
                     *             "us"
                     *           ]
                     *         }
                     *       ],
                     *       "time_filter": {
                     *         "days_of_week": [
                     *           1,
                     *           2,
                     *           3,
                     *           4,
                     *           5
                     *         ],
                     *         "hours": {
                     *           "from": 9,
                     *           "to": 17
                     *         }
                     *       },
                     *       "is_cost_metric": false,
                     *       "unit_cost": 1,
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Metric"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    archiveMetric: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a metric.
                 * @example metric_01jd3k9x
                 */
                metric_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "metric_id": "metric_01jd3k9x",
                     *       "metric_name": "API calls",
                     *       "aggregation_type": "count",
                     *       "event_name": "api_call",
                     *       "property_name": "bytes",
                     *       "numeric_filters": [
                     *         {
                     *           "property_name": "bytes",
                     *           "operator": "gte",
                     *           "comparison_value": 1
                     *         }
                     *       ],
                     *       "categorical_filters": [
                     *         {
                     *           "property_name": "bytes",
                     *           "operator": "gte",
                     *           "comparison_value": [
                     *             "eu",
                     *             "us"
                     *           ]
                     *         }
                     *       ],
                     *       "time_filter": {
                     *         "days_of_week": [
                     *           1,
                     *           2,
                     *           3,
                     *           4,
                     *           5
                     *         ],
                     *         "hours": {
                     *           "from": 9,
                     *           "to": 17
                     *         }
                     *       },
                     *       "is_cost_metric": false,
                     *       "unit_cost": 1,
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Metric"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveMetricUsage: {
        parameters: {
            query: {
                /**
                 * @description Whose usage it is about.
                 * @example acme
                 */
                customer_id: string;
                /**
                 * @description Inclusive: a date (midnight in the customer's time zone) or a date-time.
                 * @example 2026-11-01
                 */
                start: string;
                /**
                 * @description Exclusive: a date (midnight in the customer's time zone) or a date-time.
                 * @example 2026-12-01
                 */
                end: string;
                /**
                 * @description Length of the buckets.
                 * @example total
                 */
                granularity?: "total" | "day" | "hour";
                /**
                 * @description A property: one result for each of its texts, the largest values first.
                 * @example region
                 */
                group_by?: string;
                /**
                 * @description With group_by: how many groups are told one by one, those with the largest values over the whole interval; all others are the rows with `other`. limit + 1 times the buckets is 20,000 at most; without limit it is 1,000, or as many as fit.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a metric.
                 * @example metric_01jd3k9x
                 */
                metric_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "metric_id": "metric_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "start": "2026-11-01T00:00:00.000Z",
                     *       "end": "2026-12-01T00:00:00.000Z",
                     *       "granularity": "total",
                     *       "as_of": "2026-11-20T10:00:00.000Z",
                     *       "results": [
                     *         {
                     *           "start": "2026-11-01T00:00:00.000Z",
                     *           "end": "2026-12-01T00:00:00.000Z",
                     *           "value": 42,
                     *           "events_count": 120,
                     *           "group": "eu-west-1",
                     *           "other": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["MetricUsage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPlans: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "plan_id": "plan_01jd3k9x",
                     *           "name": "Pro",
                     *           "recurring_fee": 29,
                     *           "billing_period": "monthly",
                     *           "billing_calendar": "fixed_days",
                     *           "anchor_day": null,
                     *           "usage_period": "billing_period",
                     *           "currency": "usd",
                     *           "charge_timing": "in_arrears",
                     *           "components": [
                     *             {
                     *               "component_id": "comp_01jd3k9x",
                     *               "metric_id": "metric_01jd3k9x",
                     *               "free_tier": 1000,
                     *               "pricing_model": "per_unit",
                     *               "overage_price": 0.002,
                     *               "tiers": [
                     *                 {
                     *                   "up_to": 1000,
                     *                   "unit_price": 0.002,
                     *                   "flat_fee": 0
                     *                 }
                     *               ],
                     *               "package_size": null,
                     *               "percentage": null,
                     *               "fixed_amount": null,
                     *               "per_event_minimum": null,
                     *               "per_event_maximum": null,
                     *               "group_by": null,
                     *               "prices": null,
                     *               "unmatched": null,
                     *               "rounding": "no_rounding",
                     *               "prepaid_units": 0,
                     *               "minimum_amount": 40,
                     *               "maximum_amount": 130
                     *             }
                     *           ],
                     *           "features": [
                     *             {
                     *               "feature_id": "feat_01jd3k9x",
                     *               "name": "sso",
                     *               "included": true,
                     *               "limit": 100,
                     *               "metric_id": null
                     *             }
                     *           ],
                     *           "minimum_amount": 40,
                     *           "maximum_amount": 130,
                     *           "currency_options": null,
                     *           "trial_days": 14,
                     *           "bill_usage_in_trial": false,
                     *           "version": 1,
                     *           "version_id": "planv_01jd3k9x",
                     *           "status": "active",
                     *           "created_at": "2026-11-20T10:00:00.000Z",
                     *           "metadata": {
                     *             "team": "growth"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["Plan"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Pro",
                 *       "recurring_fee": 29,
                 *       "billing_period": "monthly",
                 *       "components": [
                 *         {
                 *           "metric_id": "metric_01jd3k9x",
                 *           "free_tier": 1000,
                 *           "overage_price": 0.002
                 *         }
                 *       ],
                 *       "features": [
                 *         {
                 *           "name": "sso",
                 *           "included": true
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Display name of the plan.
                     * @example Pro
                     */
                    name: string;
                    /**
                     * @description Fee of a period in major units.
                     * @example 29
                     */
                    recurring_fee?: number;
                    /**
                     * @description What usage costs: one component for each billed metric.
                     * @default []
                     */
                    components?: {
                        /**
                         * @description Taken back as it was read; it changes nothing.
                         * @example comp_01jd3k9x
                         */
                        component_id?: string;
                        /**
                         * @description The metric whose value is billed.
                         * @example metric_01jd3k9x
                         */
                        metric_id: string;
                        /**
                         * @description Units that cost nothing, each period.
                         * @example 1000
                         */
                        free_tier?: number;
                        /**
                         * @description How the billable quantity is priced: with tiers tiered or volume; percentage prices each event of a sum; by default per_unit.
                         * @example per_unit
                         * @enum {string|null}
                         */
                        pricing_model?: "per_unit" | "tiered" | "volume" | "package" | "percentage" | null;
                        /**
                         * @description Price of a unit beyond the free tier, up to 12 decimals; with package of one package.
                         * @example 0.002
                         */
                        overage_price?: number | null;
                        /**
                         * @description The same as overage_price; send one.
                         * @example 0.002
                         */
                        price?: number | null;
                        /** @description Bands of quantity with prices of their own, ascending; null with a single price. */
                        tiers?: {
                            /**
                             * @description Upper edge of the tier, inclusive; null: no end.
                             * @example 1000
                             */
                            up_to: number | null;
                            /**
                             * @description Price of a unit in the tier, up to 12 decimals.
                             * @example 0.002
                             */
                            unit_price: number;
                            /**
                             * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                             * @example 0
                             */
                            flat_fee?: number;
                        }[] | null;
                        /**
                         * @description Units of a package; each started one is charged.
                         * @example null
                         */
                        package_size?: number | null;
                        /**
                         * @description With percentage: percent of the value of each event, 0 to 100.
                         * @example null
                         */
                        percentage?: number | null;
                        /**
                         * @description With percentage: charged for each event besides; by default 0.
                         * @example null
                         */
                        fixed_amount?: number | null;
                        /**
                         * @description With percentage: what each event costs at least; null: no bound.
                         * @example null
                         */
                        per_event_minimum?: number | null;
                        /**
                         * @description With percentage: what each event costs at most; null: no bound.
                         * @example null
                         */
                        per_event_maximum?: number | null;
                        /**
                         * @description The properties of events by which they are priced, 1 to 3; null without a price book.
                         * @example [
                         *       "model",
                         *       "kind"
                         *     ]
                         */
                        group_by?: string[] | null;
                        /** @description Prices by the properties of the events, each a row of the price book; null without one. */
                        prices?: {
                            /**
                             * @description Taken back as it was read; it changes nothing.
                             * @example price_01jd3k9x
                             */
                            price_id?: string;
                            /**
                             * @description Texts of some of the properties in group_by; null: events without it, {}: all events.
                             * @example {
                             *       "model": "gpt-5",
                             *       "kind": "input"
                             *     }
                             */
                            when: {
                                [key: string]: string | null;
                            };
                            /**
                             * @description From when on: a date (the customer's midnight) or a date-time; events before it have another price. Null: always.
                             * @example 2026-11-20
                             */
                            from?: string | null;
                            /**
                             * @description How the billable quantity is priced: with tiers tiered or volume; percentage prices each event of a sum; by default per_unit.
                             * @example per_unit
                             * @enum {string|null}
                             */
                            pricing_model?: "per_unit" | "tiered" | "volume" | "package" | "percentage" | null;
                            /**
                             * @description Price of a unit beyond the free tier, up to 12 decimals; with package of one package.
                             * @example 0.002
                             */
                            overage_price?: number | null;
                            /**
                             * @description The same as overage_price; send one.
                             * @example 0.002
                             */
                            price?: number | null;
                            /** @description Bands of quantity with prices of their own, ascending; null with a single price. */
                            tiers?: {
                                /**
                                 * @description Upper edge of the tier, inclusive; null: no end.
                                 * @example 1000
                                 */
                                up_to: number | null;
                                /**
                                 * @description Price of a unit in the tier, up to 12 decimals.
                                 * @example 0.002
                                 */
                                unit_price: number;
                                /**
                                 * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                                 * @example 0
                                 */
                                flat_fee?: number;
                            }[] | null;
                            /**
                             * @description Units of a package; each started one is charged.
                             * @example null
                             */
                            package_size?: number | null;
                            /**
                             * @description With percentage: percent of the value of each event, 0 to 100.
                             * @example null
                             */
                            percentage?: number | null;
                            /**
                             * @description With percentage: charged for each event besides; by default 0.
                             * @example null
                             */
                            fixed_amount?: number | null;
                            /**
                             * @description With percentage: what each event costs at least; null: no bound.
                             * @example null
                             */
                            per_event_minimum?: number | null;
                            /**
                             * @description With percentage: what each event costs at most; null: no bound.
                             * @example null
                             */
                            per_event_maximum?: number | null;
                            /**
                             * @description Units of each combination that cost nothing, each period.
                             * @example 0
                             */
                            free_tier?: number;
                        }[] | null;
                        /**
                         * @description What becomes of events that no row prices: hold until one does (default), price at the component's own, or ignore. Null without a price book.
                         * @example hold
                         * @enum {string|null}
                         */
                        unmatched?: "hold" | "price" | "ignore" | null;
                        /**
                         * @description How the quantity is rounded, once, half away from zero.
                         * @default no_rounding
                         * @example no_rounding
                         * @enum {string}
                         */
                        rounding?: "round_down" | "round_up" | "round_nearest" | "no_rounding";
                        /**
                         * @description Units paid ahead each period, at the own price of so many.
                         * @example 0
                         */
                        prepaid_units?: number;
                        /**
                         * @description The least that prepaid units and usage of a period come to; what is missing is a true_up line.
                         * @example 40
                         */
                        minimum_amount?: number | null;
                        /**
                         * @description The most that prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                         * @example 130
                         */
                        maximum_amount?: number | null;
                    }[];
                    /**
                     * @description What the plan includes or limits.
                     * @default []
                     */
                    features?: {
                        /**
                         * @description Taken back as it was read; it changes nothing.
                         * @example feat_01jd3k9x
                         */
                        feature_id?: string;
                        /**
                         * @description Name of the feature, by which access is asked.
                         * @example sso
                         */
                        name: string;
                        /**
                         * @description Whether the plan includes the feature.
                         * @example true
                         */
                        included: boolean;
                        /**
                         * @description The most that may be used in a period; null: unlimited.
                         * @example 100
                         */
                        limit?: number | null;
                        /**
                         * @description The metric that the limit is about; null: nothing is measured.
                         * @example null
                         */
                        metric_id?: string | null;
                    }[];
                    /**
                     * @description Whether the recurring fee is charged at the end (in_arrears) or the start (in_advance) of a period.
                     * @default in_arrears
                     * @example in_arrears
                     * @enum {string}
                     */
                    charge_timing?: "in_arrears" | "in_advance";
                    /**
                     * @description The least that fee, prepaid units and usage of a period come to; what is missing is a true_up line.
                     * @example 40
                     */
                    minimum_amount?: number | null;
                    /**
                     * @description The most that fee, prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                     * @example 130
                     */
                    maximum_amount?: number | null;
                    /**
                     * @description What the plan costs in further currencies, by code: its fee where the plan has one, and each of its components. Null: only in the plan's own.
                     * @example {
                     *       "eur": {
                     *         "recurring_fee": 27,
                     *         "components": [
                     *           {
                     *             "metric_id": "metric_01jd3k9x",
                     *             "overage_price": 0.0018
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    currency_options?: Record<string, never> | null;
                    /**
                     * @description Days of trial with which a subscription begins, 0 to 730: no fee, and billing periods follow. 0 and null: none.
                     * @example 14
                     */
                    trial_days?: number | null;
                    /**
                     * @description Whether usage is billed in a trial, too.
                     * @example false
                     */
                    bill_usage_in_trial?: boolean;
                    /**
                     * @description Length of a period: 1, 3 or 12 months; by fixed_days 30, 90 or 365 days.
                     * @example monthly
                     * @enum {string}
                     */
                    billing_period: "monthly" | "quarterly" | "annual" | "yearly";
                    /**
                     * @description What periods are counted by: fixed_days; anniversary, months from the start date; calendar, months from anchor_day on. Fixed for the life of a plan.
                     * @default fixed_days
                     * @example calendar
                     * @enum {string}
                     */
                    billing_calendar?: "fixed_days" | "anniversary" | "calendar";
                    /**
                     * @description The day of the month on which periods start by calendar, by default 1; in a month that lacks it, its last day. Null by other calendars.
                     * @example 1
                     */
                    anchor_day?: number | null;
                    /**
                     * @description What components bill at once: billing_period, all of it; monthly, each month of it, with an invoice at the month's end. Fixed for the life of a plan.
                     * @default billing_period
                     * @example monthly
                     * @enum {string}
                     */
                    usage_period?: "billing_period" | "monthly";
                    /**
                     * @description ISO 4217 code of its prices; by default the account's currency.
                     * @example usd
                     */
                    currency?: string;
                    /**
                     * @description The caller's own texts: up to 50 keys with values of up to 500 characters.
                     * @example {
                     *       "team": "growth"
                     *     }
                     */
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "plan_id": "plan_01jd3k9x",
                     *       "name": "Pro",
                     *       "recurring_fee": 29,
                     *       "billing_period": "monthly",
                     *       "billing_calendar": "fixed_days",
                     *       "anchor_day": null,
                     *       "usage_period": "billing_period",
                     *       "currency": "usd",
                     *       "charge_timing": "in_arrears",
                     *       "components": [
                     *         {
                     *           "component_id": "comp_01jd3k9x",
                     *           "metric_id": "metric_01jd3k9x",
                     *           "free_tier": 1000,
                     *           "pricing_model": "per_unit",
                     *           "overage_price": 0.002,
                     *           "tiers": [
                     *             {
                     *               "up_to": 1000,
                     *               "unit_price": 0.002,
                     *               "flat_fee": 0
                     *             }
                     *           ],
                     *           "package_size": null,
                     *           "percentage": null,
                     *           "fixed_amount": null,
                     *           "per_event_minimum": null,
                     *           "per_event_maximum": null,
                     *           "group_by": null,
                     *           "prices": null,
                     *           "unmatched": null,
                     *           "rounding": "no_rounding",
                     *           "prepaid_units": 0,
                     *           "minimum_amount": 40,
                     *           "maximum_amount": 130
                     *         }
                     *       ],
                     *       "features": [
                     *         {
                     *           "feature_id": "feat_01jd3k9x",
                     *           "name": "sso",
                     *           "included": true,
                     *           "limit": 100,
                     *           "metric_id": null
                     *         }
                     *       ],
                     *       "minimum_amount": 40,
                     *       "maximum_amount": 130,
                     *       "currency_options": null,
                     *       "trial_days": 14,
                     *       "bill_usage_in_trial": false,
                     *       "version": 1,
                     *       "version_id": "planv_01jd3k9x",
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "metadata": {
                     *         "team": "growth"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Plan"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    previewPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Pro",
                 *       "recurring_fee": 29,
                 *       "billing_period": "monthly",
                 *       "components": [
                 *         {
                 *           "metric_id": "metric_01jd3k9x",
                 *           "free_tier": 1000,
                 *           "overage_price": 0.002
                 *         }
                 *       ],
                 *       "quantities": {
                 *         "metric_01jd3k9x": 1500
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Display name of the plan.
                     * @example Pro
                     */
                    name: string;
                    /**
                     * @description Fee of a period in major units.
                     * @example 29
                     */
                    recurring_fee?: number;
                    /**
                     * @description What usage costs: one component for each billed metric.
                     * @default []
                     */
                    components?: {
                        /**
                         * @description Taken back as it was read; it changes nothing.
                         * @example comp_01jd3k9x
                         */
                        component_id?: string;
                        /**
                         * @description The metric whose value is billed.
                         * @example metric_01jd3k9x
                         */
                        metric_id: string;
                        /**
                         * @description Units that cost nothing, each period.
                         * @example 1000
                         */
                        free_tier?: number;
                        /**
                         * @description How the billable quantity is priced: with tiers tiered or volume; percentage prices each event of a sum; by default per_unit.
                         * @example per_unit
                         * @enum {string|null}
                         */
                        pricing_model?: "per_unit" | "tiered" | "volume" | "package" | "percentage" | null;
                        /**
                         * @description Price of a unit beyond the free tier, up to 12 decimals; with package of one package.
                         * @example 0.002
                         */
                        overage_price?: number | null;
                        /**
                         * @description The same as overage_price; send one.
                         * @example 0.002
                         */
                        price?: number | null;
                        /** @description Bands of quantity with prices of their own, ascending; null with a single price. */
                        tiers?: {
                            /**
                             * @description Upper edge of the tier, inclusive; null: no end.
                             * @example 1000
                             */
                            up_to: number | null;
                            /**
                             * @description Price of a unit in the tier, up to 12 decimals.
                             * @example 0.002
                             */
                            unit_price: number;
                            /**
                             * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                             * @example 0
                             */
                            flat_fee?: number;
                        }[] | null;
                        /**
                         * @description Units of a package; each started one is charged.
                         * @example null
                         */
                        package_size?: number | null;
                        /**
                         * @description With percentage: percent of the value of each event, 0 to 100.
                         * @example null
                         */
                        percentage?: number | null;
                        /**
                         * @description With percentage: charged for each event besides; by default 0.
                         * @example null
                         */
                        fixed_amount?: number | null;
                        /**
                         * @description With percentage: what each event costs at least; null: no bound.
                         * @example null
                         */
                        per_event_minimum?: number | null;
                        /**
                         * @description With percentage: what each event costs at most; null: no bound.
                         * @example null
                         */
                        per_event_maximum?: number | null;
                        /**
                         * @description The properties of events by which they are priced, 1 to 3; null without a price book.
                         * @example [
                         *       "model",
                         *       "kind"
                         *     ]
                         */
                        group_by?: string[] | null;
                        /** @description Prices by the properties of the events, each a row of the price book; null without one. */
                        prices?: {
                            /**
                             * @description Taken back as it was read; it changes nothing.
                             * @example price_01jd3k9x
                             */
                            price_id?: string;
                            /**
                             * @description Texts of some of the properties in group_by; null: events without it, {}: all events.
                             * @example {
                             *       "model": "gpt-5",
                             *       "kind": "input"
                             *     }
                             */
                            when: {
                                [key: string]: string | null;
                            };
                            /**
                             * @description From when on: a date (the customer's midnight) or a date-time; events before it have another price. Null: always.
                             * @example 2026-11-20
                             */
                            from?: string | null;
                            /**
                             * @description How the billable quantity is priced: with tiers tiered or volume; percentage prices each event of a sum; by default per_unit.
                             * @example per_unit
                             * @enum {string|null}
                             */
                            pricing_model?: "per_unit" | "tiered" | "volume" | "package" | "percentage" | null;
                            /**
                             * @description Price of a unit beyond the free tier, up to 12 decimals; with package of one package.
                             * @example 0.002
                             */
                            overage_price?: number | null;
                            /**
                             * @description The same as overage_price; send one.
                             * @example 0.002
                             */
                            price?: number | null;
                            /** @description Bands of quantity with prices of their own, ascending; null with a single price. */
                            tiers?: {
                                /**
                                 * @description Upper edge of the tier, inclusive; null: no end.
                                 * @example 1000
                                 */
                                up_to: number | null;
                                /**
                                 * @description Price of a unit in the tier, up to 12 decimals.
                                 * @example 0.002
                                 */
                                unit_price: number;
                                /**
                                 * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                                 * @example 0
                                 */
                                flat_fee?: number;
                            }[] | null;
                            /**
                             * @description Units of a package; each started one is charged.
                             * @example null
                             */
                            package_size?: number | null;
                            /**
                             * @description With percentage: percent of the value of each event, 0 to 100.
                             * @example null
                             */
                            percentage?: number | null;
                            /**
                             * @description With percentage: charged for each event besides; by default 0.
                             * @example null
                             */
                            fixed_amount?: number | null;
                            /**
                             * @description With percentage: what each event costs at least; null: no bound.
                             * @example null
                             */
                            per_event_minimum?: number | null;
                            /**
                             * @description With percentage: what each event costs at most; null: no bound.
                             * @example null
                             */
                            per_event_maximum?: number | null;
                            /**
                             * @description Units of each combination that cost nothing, each period.
                             * @example 0
                             */
                            free_tier?: number;
                        }[] | null;
                        /**
                         * @description What becomes of events that no row prices: hold until one does (default), price at the component's own, or ignore. Null without a price book.
                         * @example hold
                         * @enum {string|null}
                         */
                        unmatched?: "hold" | "price" | "ignore" | null;
                        /**
                         * @description How the quantity is rounded, once, half away from zero.
                         * @default no_rounding
                         * @example no_rounding
                         * @enum {string}
                         */
                        rounding?: "round_down" | "round_up" | "round_nearest" | "no_rounding";
                        /**
                         * @description Units paid ahead each period, at the own price of so many.
                         * @example 0
                         */
                        prepaid_units?: number;
                        /**
                         * @description The least that prepaid units and usage of a period come to; what is missing is a true_up line.
                         * @example 40
                         */
                        minimum_amount?: number | null;
                        /**
                         * @description The most that prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                         * @example 130
                         */
                        maximum_amount?: number | null;
                    }[];
                    /**
                     * @description What the plan includes or limits.
                     * @default []
                     */
                    features?: {
                        /**
                         * @description Taken back as it was read; it changes nothing.
                         * @example feat_01jd3k9x
                         */
                        feature_id?: string;
                        /**
                         * @description Name of the feature, by which access is asked.
                         * @example sso
                         */
                        name: string;
                        /**
                         * @description Whether the plan includes the feature.
                         * @example true
                         */
                        included: boolean;
                        /**
                         * @description The most that may be used in a period; null: unlimited.
                         * @example 100
                         */
                        limit?: number | null;
                        /**
                         * @description The metric that the limit is about; null: nothing is measured.
                         * @example null
                         */
                        metric_id?: string | null;
                    }[];
                    /**
                     * @description Whether the recurring fee is charged at the end (in_arrears) or the start (in_advance) of a period.
                     * @default in_arrears
                     * @example in_arrears
                     * @enum {string}
                     */
                    charge_timing?: "in_arrears" | "in_advance";
                    /**
                     * @description The least that fee, prepaid units and usage of a period come to; what is missing is a true_up line.
                     * @example 40
                     */
                    minimum_amount?: number | null;
                    /**
                     * @description The most that fee, prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                     * @example 130
                     */
                    maximum_amount?: number | null;
                    /**
                     * @description What the plan costs in further currencies, by code: its fee where the plan has one, and each of its components. Null: only in the plan's own.
                     * @example {
                     *       "eur": {
                     *         "recurring_fee": 27,
                     *         "components": [
                     *           {
                     *             "metric_id": "metric_01jd3k9x",
                     *             "overage_price": 0.0018
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    currency_options?: Record<string, never> | null;
                    /**
                     * @description Days of trial with which a subscription begins, 0 to 730: no fee, and billing periods follow. 0 and null: none.
                     * @example 14
                     */
                    trial_days?: number | null;
                    /**
                     * @description Whether usage is billed in a trial, too.
                     * @example false
                     */
                    bill_usage_in_trial?: boolean;
                    /**
                     * @description Length of a period: 1, 3 or 12 months; by fixed_days 30, 90 or 365 days.
                     * @example monthly
                     * @enum {string}
                     */
                    billing_period: "monthly" | "quarterly" | "annual" | "yearly";
                    /**
                     * @description What periods are counted by: fixed_days; anniversary, months from the start date; calendar, months from anchor_day on. Fixed for the life of a plan.
                     * @default fixed_days
                     * @example calendar
                     * @enum {string}
                     */
                    billing_calendar?: "fixed_days" | "anniversary" | "calendar";
                    /**
                     * @description The day of the month on which periods start by calendar, by default 1; in a month that lacks it, its last day. Null by other calendars.
                     * @example 1
                     */
                    anchor_day?: number | null;
                    /**
                     * @description What components bill at once: billing_period, all of it; monthly, each month of it, with an invoice at the month's end. Fixed for the life of a plan.
                     * @default billing_period
                     * @example monthly
                     * @enum {string}
                     */
                    usage_period?: "billing_period" | "monthly";
                    /**
                     * @description ISO 4217 code of its prices; by default the account's currency.
                     * @example usd
                     */
                    currency?: string;
                    /**
                     * @description The caller's own texts: up to 50 keys with values of up to 500 characters.
                     * @example {
                     *       "team": "growth"
                     *     }
                     */
                    metadata?: {
                        [key: string]: string;
                    };
                    /**
                     * @description The period's value of each metric that the plan bills, by metric_id; 0 where it is not named.
                     * @example {
                     *       "metric_01jd3k9x": 1500
                     *     }
                     */
                    quantities?: {
                        [key: string]: number;
                    };
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "currency": "usd",
                     *       "lines": [
                     *         {
                     *           "type": "usage",
                     *           "description": "API calls",
                     *           "metric_id": null,
                     *           "quantity": 1,
                     *           "billable_quantity": 50,
                     *           "unit_price": 29,
                     *           "amount": 29,
                     *           "tiers": [
                     *             {
                     *               "up_to": 1000,
                     *               "quantity": 50,
                     *               "unit_price": 0.002,
                     *               "flat_fee": 0,
                     *               "amount": 0.1
                     *             }
                     *           ],
                     *           "steps": [
                     *             {
                     *               "step": "free_tier",
                     *               "text": "120 - 100 free = 20",
                     *               "value": 20
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "subtotal": 30
                     *     }
                     */
                    "application/json": components["schemas"]["PlanPreview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrievePlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a plan.
                 * @example plan_01jd3k9x
                 */
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "plan_id": "plan_01jd3k9x",
                     *       "name": "Pro",
                     *       "recurring_fee": 29,
                     *       "billing_period": "monthly",
                     *       "billing_calendar": "fixed_days",
                     *       "anchor_day": null,
                     *       "usage_period": "billing_period",
                     *       "currency": "usd",
                     *       "charge_timing": "in_arrears",
                     *       "components": [
                     *         {
                     *           "component_id": "comp_01jd3k9x",
                     *           "metric_id": "metric_01jd3k9x",
                     *           "free_tier": 1000,
                     *           "pricing_model": "per_unit",
                     *           "overage_price": 0.002,
                     *           "tiers": [
                     *             {
                     *               "up_to": 1000,
                     *               "unit_price": 0.002,
                     *               "flat_fee": 0
                     *             }
                     *           ],
                     *           "package_size": null,
                     *           "percentage": null,
                     *           "fixed_amount": null,
                     *           "per_event_minimum": null,
                     *           "per_event_maximum": null,
                     *           "group_by": null,
                     *           "prices": null,
                     *           "unmatched": null,
                     *           "rounding": "no_rounding",
                     *           "prepaid_units": 0,
                     *           "minimum_amount": 40,
                     *           "maximum_amount": 130
                     *         }
                     *       ],
                     *       "features": [
                     *         {
                     *           "feature_id": "feat_01jd3k9x",
                     *           "name": "sso",
                     *           "included": true,
                     *           "limit": 100,
                     *           "metric_id": null
                     *         }
                     *       ],
                     *       "minimum_amount": 40,
                     *       "maximum_amount": 130,
                     *       "currency_options": null,
                     *       "trial_days": 14,
                     *       "bill_usage_in_trial": false,
                     *       "version": 1,
                     *       "version_id": "planv_01jd3k9x",
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "metadata": {
                     *         "team": "growth"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Plan"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    updatePlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a plan.
                 * @example plan_01jd3k9x
                 */
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "recurring_fee": 39
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Display name of the plan.
                     * @example Pro
                     */
                    name?: string;
                    /**
                     * @description Fee of a period in major units.
                     * @example 29
                     */
                    recurring_fee?: number;
                    /** @description What usage costs: one component for each billed metric. */
                    components?: {
                        /**
                         * @description Taken back as it was read; it changes nothing.
                         * @example comp_01jd3k9x
                         */
                        component_id?: string;
                        /**
                         * @description The metric whose value is billed.
                         * @example metric_01jd3k9x
                         */
                        metric_id: string;
                        /**
                         * @description Units that cost nothing, each period.
                         * @example 1000
                         */
                        free_tier?: number;
                        /**
                         * @description How the billable quantity is priced: with tiers tiered or volume; percentage prices each event of a sum; by default per_unit.
                         * @example per_unit
                         * @enum {string|null}
                         */
                        pricing_model?: "per_unit" | "tiered" | "volume" | "package" | "percentage" | null;
                        /**
                         * @description Price of a unit beyond the free tier, up to 12 decimals; with package of one package.
                         * @example 0.002
                         */
                        overage_price?: number | null;
                        /**
                         * @description The same as overage_price; send one.
                         * @example 0.002
                         */
                        price?: number | null;
                        /** @description Bands of quantity with prices of their own, ascending; null with a single price. */
                        tiers?: {
                            /**
                             * @description Upper edge of the tier, inclusive; null: no end.
                             * @example 1000
                             */
                            up_to: number | null;
                            /**
                             * @description Price of a unit in the tier, up to 12 decimals.
                             * @example 0.002
                             */
                            unit_price: number;
                            /**
                             * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                             * @example 0
                             */
                            flat_fee?: number;
                        }[] | null;
                        /**
                         * @description Units of a package; each started one is charged.
                         * @example null
                         */
                        package_size?: number | null;
                        /**
                         * @description With percentage: percent of the value of each event, 0 to 100.
                         * @example null
                         */
                        percentage?: number | null;
                        /**
                         * @description With percentage: charged for each event besides; by default 0.
                         * @example null
                         */
                        fixed_amount?: number | null;
                        /**
                         * @description With percentage: what each event costs at least; null: no bound.
                         * @example null
                         */
                        per_event_minimum?: number | null;
                        /**
                         * @description With percentage: what each event costs at most; null: no bound.
                         * @example null
                         */
                        per_event_maximum?: number | null;
                        /**
                         * @description The properties of events by which they are priced, 1 to 3; null without a price book.
                         * @example [
                         *       "model",
                         *       "kind"
                         *     ]
                         */
                        group_by?: string[] | null;
                        /** @description Prices by the properties of the events, each a row of the price book; null without one. */
                        prices?: {
                            /**
                             * @description Taken back as it was read; it changes nothing.
                             * @example price_01jd3k9x
                             */
                            price_id?: string;
                            /**
                             * @description Texts of some of the properties in group_by; null: events without it, {}: all events.
                             * @example {
                             *       "model": "gpt-5",
                             *       "kind": "input"
                             *     }
                             */
                            when: {
                                [key: string]: string | null;
                            };
                            /**
                             * @description From when on: a date (the customer's midnight) or a date-time; events before it have another price. Null: always.
                             * @example 2026-11-20
                             */
                            from?: string | null;
                            /**
                             * @description How the billable quantity is priced: with tiers tiered or volume; percentage prices each event of a sum; by default per_unit.
                             * @example per_unit
                             * @enum {string|null}
                             */
                            pricing_model?: "per_unit" | "tiered" | "volume" | "package" | "percentage" | null;
                            /**
                             * @description Price of a unit beyond the free tier, up to 12 decimals; with package of one package.
                             * @example 0.002
                             */
                            overage_price?: number | null;
                            /**
                             * @description The same as overage_price; send one.
                             * @example 0.002
                             */
                            price?: number | null;
                            /** @description Bands of quantity with prices of their own, ascending; null with a single price. */
                            tiers?: {
                                /**
                                 * @description Upper edge of the tier, inclusive; null: no end.
                                 * @example 1000
                                 */
                                up_to: number | null;
                                /**
                                 * @description Price of a unit in the tier, up to 12 decimals.
                                 * @example 0.002
                                 */
                                unit_price: number;
                                /**
                                 * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                                 * @example 0
                                 */
                                flat_fee?: number;
                            }[] | null;
                            /**
                             * @description Units of a package; each started one is charged.
                             * @example null
                             */
                            package_size?: number | null;
                            /**
                             * @description With percentage: percent of the value of each event, 0 to 100.
                             * @example null
                             */
                            percentage?: number | null;
                            /**
                             * @description With percentage: charged for each event besides; by default 0.
                             * @example null
                             */
                            fixed_amount?: number | null;
                            /**
                             * @description With percentage: what each event costs at least; null: no bound.
                             * @example null
                             */
                            per_event_minimum?: number | null;
                            /**
                             * @description With percentage: what each event costs at most; null: no bound.
                             * @example null
                             */
                            per_event_maximum?: number | null;
                            /**
                             * @description Units of each combination that cost nothing, each period.
                             * @example 0
                             */
                            free_tier?: number;
                        }[] | null;
                        /**
                         * @description What becomes of events that no row prices: hold until one does (default), price at the component's own, or ignore. Null without a price book.
                         * @example hold
                         * @enum {string|null}
                         */
                        unmatched?: "hold" | "price" | "ignore" | null;
                        /**
                         * @description How the quantity is rounded, once, half away from zero.
                         * @default no_rounding
                         * @example no_rounding
                         * @enum {string}
                         */
                        rounding?: "round_down" | "round_up" | "round_nearest" | "no_rounding";
                        /**
                         * @description Units paid ahead each period, at the own price of so many.
                         * @example 0
                         */
                        prepaid_units?: number;
                        /**
                         * @description The least that prepaid units and usage of a period come to; what is missing is a true_up line.
                         * @example 40
                         */
                        minimum_amount?: number | null;
                        /**
                         * @description The most that prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                         * @example 130
                         */
                        maximum_amount?: number | null;
                    }[];
                    /** @description What the plan includes or limits. */
                    features?: {
                        /**
                         * @description Taken back as it was read; it changes nothing.
                         * @example feat_01jd3k9x
                         */
                        feature_id?: string;
                        /**
                         * @description Name of the feature, by which access is asked.
                         * @example sso
                         */
                        name: string;
                        /**
                         * @description Whether the plan includes the feature.
                         * @example true
                         */
                        included: boolean;
                        /**
                         * @description The most that may be used in a period; null: unlimited.
                         * @example 100
                         */
                        limit?: number | null;
                        /**
                         * @description The metric that the limit is about; null: nothing is measured.
                         * @example null
                         */
                        metric_id?: string | null;
                    }[];
                    /**
                     * @description Whether the recurring fee is charged at the end (in_arrears) or the start (in_advance) of a period.
                     * @example in_arrears
                     * @enum {string}
                     */
                    charge_timing?: "in_arrears" | "in_advance";
                    /**
                     * @description The least that fee, prepaid units and usage of a period come to; what is missing is a true_up line.
                     * @example 40
                     */
                    minimum_amount?: number | null;
                    /**
                     * @description The most that fee, prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                     * @example 130
                     */
                    maximum_amount?: number | null;
                    /**
                     * @description What the plan costs in further currencies, by code: its fee where the plan has one, and each of its components. Null: only in the plan's own.
                     * @example {
                     *       "eur": {
                     *         "recurring_fee": 27,
                     *         "components": [
                     *           {
                     *             "metric_id": "metric_01jd3k9x",
                     *             "overage_price": 0.0018
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    currency_options?: Record<string, never> | null;
                    /**
                     * @description Days of trial with which a subscription begins, 0 to 730: no fee, and billing periods follow. 0 and null: none.
                     * @example 14
                     */
                    trial_days?: number | null;
                    /**
                     * @description Whether usage is billed in a trial, too.
                     * @example false
                     */
                    bill_usage_in_trial?: boolean;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "plan_id": "plan_01jd3k9x",
                     *       "name": "Pro",
                     *       "recurring_fee": 29,
                     *       "billing_period": "monthly",
                     *       "billing_calendar": "fixed_days",
                     *       "anchor_day": null,
                     *       "usage_period": "billing_period",
                     *       "currency": "usd",
                     *       "charge_timing": "in_arrears",
                     *       "components": [
                     *         {
                     *           "component_id": "comp_01jd3k9x",
                     *           "metric_id": "metric_01jd3k9x",
                     *           "free_tier": 1000,
                     *           "pricing_model": "per_unit",
                     *           "overage_price": 0.002,
                     *           "tiers": [
                     *             {
                     *               "up_to": 1000,
                     *               "unit_price": 0.002,
                     *               "flat_fee": 0
                     *             }
                     *           ],
                     *           "package_size": null,
                     *           "percentage": null,
                     *           "fixed_amount": null,
                     *           "per_event_minimum": null,
                     *           "per_event_maximum": null,
                     *           "group_by": null,
                     *           "prices": null,
                     *           "unmatched": null,
                     *           "rounding": "no_rounding",
                     *           "prepaid_units": 0,
                     *           "minimum_amount": 40,
                     *           "maximum_amount": 130
                     *         }
                     *       ],
                     *       "features": [
                     *         {
                     *           "feature_id": "feat_01jd3k9x",
                     *           "name": "sso",
                     *           "included": true,
                     *           "limit": 100,
                     *           "metric_id": null
                     *         }
                     *       ],
                     *       "minimum_amount": 40,
                     *       "maximum_amount": 130,
                     *       "currency_options": null,
                     *       "trial_days": 14,
                     *       "bill_usage_in_trial": false,
                     *       "version": 1,
                     *       "version_id": "planv_01jd3k9x",
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "metadata": {
                     *         "team": "growth"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Plan"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPlanVersions: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a plan.
                 * @example plan_01jd3k9x
                 */
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "plan_id": "plan_01jd3k9x",
                     *           "name": "Pro",
                     *           "recurring_fee": 29,
                     *           "billing_period": "monthly",
                     *           "billing_calendar": "fixed_days",
                     *           "anchor_day": null,
                     *           "usage_period": "billing_period",
                     *           "currency": "usd",
                     *           "charge_timing": "in_arrears",
                     *           "components": [
                     *             {
                     *               "component_id": "comp_01jd3k9x",
                     *               "metric_id": "metric_01jd3k9x",
                     *               "free_tier": 1000,
                     *               "pricing_model": "per_unit",
                     *               "overage_price": 0.002,
                     *               "tiers": [
                     *                 {
                     *                   "up_to": 1000,
                     *                   "unit_price": 0.002,
                     *                   "flat_fee": 0
                     *                 }
                     *               ],
                     *               "package_size": null,
                     *               "percentage": null,
                     *               "fixed_amount": null,
                     *               "per_event_minimum": null,
                     *               "per_event_maximum": null,
                     *               "group_by": null,
                     *               "prices": null,
                     *               "unmatched": null,
                     *               "rounding": "no_rounding",
                     *               "prepaid_units": 0,
                     *               "minimum_amount": 40,
                     *               "maximum_amount": 130
                     *             }
                     *           ],
                     *           "features": [
                     *             {
                     *               "feature_id": "feat_01jd3k9x",
                     *               "name": "sso",
                     *               "included": true,
                     *               "limit": 100,
                     *               "metric_id": null
                     *             }
                     *           ],
                     *           "minimum_amount": 40,
                     *           "maximum_amount": 130,
                     *           "currency_options": null,
                     *           "trial_days": 14,
                     *           "bill_usage_in_trial": false,
                     *           "version": 1,
                     *           "version_id": "planv_01jd3k9x",
                     *           "status": "active",
                     *           "created_at": "2026-11-20T10:00:00.000Z",
                     *           "metadata": {
                     *             "team": "growth"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["Plan"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    archivePlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a plan.
                 * @example plan_01jd3k9x
                 */
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "plan_id": "plan_01jd3k9x",
                     *       "name": "Pro",
                     *       "recurring_fee": 29,
                     *       "billing_period": "monthly",
                     *       "billing_calendar": "fixed_days",
                     *       "anchor_day": null,
                     *       "usage_period": "billing_period",
                     *       "currency": "usd",
                     *       "charge_timing": "in_arrears",
                     *       "components": [
                     *         {
                     *           "component_id": "comp_01jd3k9x",
                     *           "metric_id": "metric_01jd3k9x",
                     *           "free_tier": 1000,
                     *           "pricing_model": "per_unit",
                     *           "overage_price": 0.002,
                     *           "tiers": [
                     *             {
                     *               "up_to": 1000,
                     *               "unit_price": 0.002,
                     *               "flat_fee": 0
                     *             }
                     *           ],
                     *           "package_size": null,
                     *           "percentage": null,
                     *           "fixed_amount": null,
                     *           "per_event_minimum": null,
                     *           "per_event_maximum": null,
                     *           "group_by": null,
                     *           "prices": null,
                     *           "unmatched": null,
                     *           "rounding": "no_rounding",
                     *           "prepaid_units": 0,
                     *           "minimum_amount": 40,
                     *           "maximum_amount": 130
                     *         }
                     *       ],
                     *       "features": [
                     *         {
                     *           "feature_id": "feat_01jd3k9x",
                     *           "name": "sso",
                     *           "included": true,
                     *           "limit": 100,
                     *           "metric_id": null
                     *         }
                     *       ],
                     *       "minimum_amount": 40,
                     *       "maximum_amount": 130,
                     *       "currency_options": null,
                     *       "trial_days": 14,
                     *       "bill_usage_in_trial": false,
                     *       "version": 1,
                     *       "version_id": "planv_01jd3k9x",
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "metadata": {
                     *         "team": "growth"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Plan"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAddons: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "addon_id": "addon_01jd3k9x",
                     *           "name": "Seats",
                     *           "kind": "quantity",
                     *           "price": 5,
                     *           "currency": "usd",
                     *           "status": "active",
                     *           "created_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["Addon"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    createAddon: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Seats",
                 *       "kind": "quantity",
                 *       "price": 5
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Name of the add-on, as lines of invoices show it.
                     * @example Seats
                     */
                    name: string;
                    /**
                     * @description one_time: charged once, on the next invoice; recurring: every period; quantity: every period, for each unit attached.
                     * @example quantity
                     * @enum {string}
                     */
                    kind: "one_time" | "recurring" | "quantity";
                    /**
                     * @description Price in major units; of kind quantity the price of one.
                     * @example 5
                     */
                    price: number;
                    /**
                     * @description ISO 4217 code of the price; by default the account's currency.
                     * @example usd
                     */
                    currency?: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "addon_id": "addon_01jd3k9x",
                     *       "name": "Seats",
                     *       "kind": "quantity",
                     *       "price": 5,
                     *       "currency": "usd",
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Addon"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveAddon: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of an add-on.
                 * @example addon_01jd3k9x
                 */
                addon_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "addon_id": "addon_01jd3k9x",
                     *       "name": "Seats",
                     *       "kind": "quantity",
                     *       "price": 5,
                     *       "currency": "usd",
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Addon"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateAddon: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of an add-on.
                 * @example addon_01jd3k9x
                 */
                addon_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "price": 6
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Name of the add-on, as lines of invoices show it.
                     * @example Seats
                     */
                    name?: string;
                    /**
                     * @description New price, for the invoices to come.
                     * @example 6
                     */
                    price?: number;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "addon_id": "addon_01jd3k9x",
                     *       "name": "Seats",
                     *       "kind": "quantity",
                     *       "price": 5,
                     *       "currency": "usd",
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Addon"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    archiveAddon: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of an add-on.
                 * @example addon_01jd3k9x
                 */
                addon_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "addon_id": "addon_01jd3k9x",
                     *       "name": "Seats",
                     *       "kind": "quantity",
                     *       "price": 5,
                     *       "currency": "usd",
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Addon"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listCoupons: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
                /**
                 * @description Only coupons in this state.
                 * @example active
                 */
                status?: "active" | "archived";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "coupon_id": "coupon_01jd3k9x",
                     *           "name": "Launch offer",
                     *           "percent_off": 15,
                     *           "amount_off": null,
                     *           "currency": null,
                     *           "duration": "repeating",
                     *           "duration_in_periods": 3,
                     *           "code": "LAUNCH-15",
                     *           "max_redemptions": 100,
                     *           "redeem_by": "2027-01-31",
                     *           "applies_to": {
                     *             "plan_ids": [
                     *               "plan_01jd3k9x"
                     *             ],
                     *             "metric_ids": [
                     *               "metric_01jd3k9x"
                     *             ],
                     *             "line_types": [
                     *               "recurring_fee"
                     *             ]
                     *           },
                     *           "times_redeemed": 4,
                     *           "status": "active",
                     *           "created_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["Coupon"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    createCoupon: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Launch offer",
                 *       "percent_off": 15,
                 *       "duration": "repeating",
                 *       "duration_in_periods": 3
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What lines of invoices call it.
                     * @example Launch offer
                     */
                    name: string;
                    /**
                     * @description How often it may be redeemed in all; null: without end.
                     * @example 100
                     */
                    max_redemptions?: number | null;
                    /**
                     * @description Until when it may be redeemed: a date, the last day in the customer's time zone, or a date-time; null: without end.
                     * @example 2027-01-31
                     */
                    redeem_by?: string | null;
                    /**
                     * @description Percentage that is taken off: above 0, to 100.
                     * @example 15
                     */
                    percent_off?: number | null;
                    /**
                     * @description Amount that is taken off each invoice at most, in major units of currency.
                     * @example null
                     */
                    amount_off?: number | null;
                    /**
                     * @description ISO 4217 code of amount_off.
                     * @example null
                     */
                    currency?: string | null;
                    /**
                     * @description once: one invoice; repeating: duration_in_periods of them; forever: all.
                     * @example repeating
                     * @enum {string}
                     */
                    duration: "once" | "repeating" | "forever";
                    /**
                     * @description How many invoices it lowers, with duration repeating.
                     * @example 3
                     */
                    duration_in_periods?: number | null;
                    /**
                     * @description What customers type in: 3 to 64 of A-Z, 0-9, - and _, in any case; one of its kind among active coupons.
                     * @example LAUNCH-15
                     */
                    code?: string | null;
                    /**
                     * @description Which lines it is for: those that fit every list; left out: all of its subscription.
                     * @example {
                     *       "line_types": [
                     *         "recurring_fee"
                     *       ]
                     *     }
                     */
                    applies_to?: {
                        /**
                         * @description Only lines of these plans; subscriptions to others do not redeem it.
                         * @example [
                         *       "plan_01jd3k9x"
                         *     ]
                         */
                        plan_ids?: string[] | null;
                        /**
                         * @description Only lines of these metrics.
                         * @example [
                         *       "metric_01jd3k9x"
                         *     ]
                         */
                        metric_ids?: string[] | null;
                        /**
                         * @description Only lines of these types.
                         * @example [
                         *       "recurring_fee"
                         *     ]
                         */
                        line_types?: ("recurring_fee" | "prepaid_units" | "usage" | "addon" | "proration" | "late_usage" | "true_up")[] | null;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "coupon_id": "coupon_01jd3k9x",
                     *       "name": "Launch offer",
                     *       "percent_off": 15,
                     *       "amount_off": null,
                     *       "currency": null,
                     *       "duration": "repeating",
                     *       "duration_in_periods": 3,
                     *       "code": "LAUNCH-15",
                     *       "max_redemptions": 100,
                     *       "redeem_by": "2027-01-31",
                     *       "applies_to": {
                     *         "plan_ids": [
                     *           "plan_01jd3k9x"
                     *         ],
                     *         "metric_ids": [
                     *           "metric_01jd3k9x"
                     *         ],
                     *         "line_types": [
                     *           "recurring_fee"
                     *         ]
                     *       },
                     *       "times_redeemed": 4,
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Coupon"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveCoupon: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a coupon.
                 * @example coupon_01jd3k9x
                 */
                coupon_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "coupon_id": "coupon_01jd3k9x",
                     *       "name": "Launch offer",
                     *       "percent_off": 15,
                     *       "amount_off": null,
                     *       "currency": null,
                     *       "duration": "repeating",
                     *       "duration_in_periods": 3,
                     *       "code": "LAUNCH-15",
                     *       "max_redemptions": 100,
                     *       "redeem_by": "2027-01-31",
                     *       "applies_to": {
                     *         "plan_ids": [
                     *           "plan_01jd3k9x"
                     *         ],
                     *         "metric_ids": [
                     *           "metric_01jd3k9x"
                     *         ],
                     *         "line_types": [
                     *           "recurring_fee"
                     *         ]
                     *       },
                     *       "times_redeemed": 4,
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Coupon"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateCoupon: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a coupon.
                 * @example coupon_01jd3k9x
                 */
                coupon_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "max_redemptions": 200
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What lines of invoices call it.
                     * @example Launch offer
                     */
                    name?: string;
                    /**
                     * @description How often it may be redeemed in all; null: without end.
                     * @example 100
                     */
                    max_redemptions?: number | null;
                    /**
                     * @description Until when it may be redeemed: a date, the last day in the customer's time zone, or a date-time; null: without end.
                     * @example 2027-01-31
                     */
                    redeem_by?: string | null;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "coupon_id": "coupon_01jd3k9x",
                     *       "name": "Launch offer",
                     *       "percent_off": 15,
                     *       "amount_off": null,
                     *       "currency": null,
                     *       "duration": "repeating",
                     *       "duration_in_periods": 3,
                     *       "code": "LAUNCH-15",
                     *       "max_redemptions": 100,
                     *       "redeem_by": "2027-01-31",
                     *       "applies_to": {
                     *         "plan_ids": [
                     *           "plan_01jd3k9x"
                     *         ],
                     *         "metric_ids": [
                     *           "metric_01jd3k9x"
                     *         ],
                     *         "line_types": [
                     *           "recurring_fee"
                     *         ]
                     *       },
                     *       "times_redeemed": 4,
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Coupon"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    archiveCoupon: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a coupon.
                 * @example coupon_01jd3k9x
                 */
                coupon_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "coupon_id": "coupon_01jd3k9x",
                     *       "name": "Launch offer",
                     *       "percent_off": 15,
                     *       "amount_off": null,
                     *       "currency": null,
                     *       "duration": "repeating",
                     *       "duration_in_periods": 3,
                     *       "code": "LAUNCH-15",
                     *       "max_redemptions": 100,
                     *       "redeem_by": "2027-01-31",
                     *       "applies_to": {
                     *         "plan_ids": [
                     *           "plan_01jd3k9x"
                     *         ],
                     *         "metric_ids": [
                     *           "metric_01jd3k9x"
                     *         ],
                     *         "line_types": [
                     *           "recurring_fee"
                     *         ]
                     *       },
                     *       "times_redeemed": 4,
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Coupon"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    checkMetricAccess: {
        parameters: {
            query: {
                /**
                 * @description The customer who wants to use it.
                 * @example acme
                 */
                customer_id: string;
                /**
                 * @description The metric that would be used.
                 * @example metric_01jd3k9x
                 */
                metric_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "customer": {
                     *         "customer_id": "acme",
                     *         "customer_name": "Acme Inc.",
                     *         "email": "billing@acme.example"
                     *       },
                     *       "metric": {
                     *         "metric_id": "metric_01jd3k9x",
                     *         "metric_name": "API calls",
                     *         "event_name": "api_call"
                     *       },
                     *       "access": true,
                     *       "reason": null,
                     *       "usage": 42,
                     *       "limit": 100,
                     *       "remaining": 58,
                     *       "resets_at": "2026-12-20T00:00:00.000Z",
                     *       "as_of": "2026-11-20T10:00:00.000Z",
                     *       "access_per_subscription": [
                     *         {
                     *           "subscription": {
                     *             "subscription_id": "sub_01jd3k9x",
                     *             "plan_id": "plan_01jd3k9x",
                     *             "version": 1,
                     *             "start_date": "2026-11-20",
                     *             "end_date": null
                     *           },
                     *           "metric_usage": 42,
                     *           "metric_free_limit": null,
                     *           "metric_total_limit": 100,
                     *           "access": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["MetricAccess"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    checkFeatureAccess: {
        parameters: {
            query: {
                /**
                 * @description The customer who wants to use it.
                 * @example acme
                 */
                customer_id: string;
                /**
                 * @description The feature's name; or name it by feature_id.
                 * @example sso
                 */
                feature_name?: string;
                /**
                 * @description The feature's id; or name it by feature_name.
                 * @example feat_01jd3k9x
                 */
                feature_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "customer": {
                     *         "customer_id": "acme",
                     *         "customer_name": "Acme Inc.",
                     *         "email": "billing@acme.example"
                     *       },
                     *       "feature": {
                     *         "feature_id": "feat_01jd3k9x",
                     *         "name": "sso"
                     *       },
                     *       "access": true,
                     *       "reason": null,
                     *       "usage": 42,
                     *       "limit": 100,
                     *       "remaining": 58,
                     *       "resets_at": "2026-12-20T00:00:00.000Z",
                     *       "as_of": "2026-11-20T10:00:00.000Z",
                     *       "access_per_subscription": [
                     *         {
                     *           "subscription": {
                     *             "subscription_id": "sub_01jd3k9x",
                     *             "plan_id": "plan_01jd3k9x",
                     *             "version": 1,
                     *             "start_date": "2026-11-20",
                     *             "end_date": null
                     *           },
                     *           "metric_usage": 42,
                     *           "metric_free_limit": null,
                     *           "metric_total_limit": 100,
                     *           "access": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["FeatureAccess"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listCustomerAccess: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a customer, chosen by the caller: 1 to 256 characters.
                 * @example acme
                 */
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "type": "feature",
                     *           "id": "feat_01jd3k9x",
                     *           "name": "sso",
                     *           "access": true,
                     *           "reason": null,
                     *           "usage": 42,
                     *           "limit": 100,
                     *           "remaining": 58,
                     *           "resets_at": "2026-12-20T00:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["AccessEntry"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSubscriptions: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
                /**
                 * @description Only subscriptions of this customer.
                 * @example acme
                 */
                customer_id?: string;
                /**
                 * @description Only subscriptions of this plan, whatever version.
                 * @example plan_01jd3k9x
                 */
                plan_id?: string;
                /**
                 * @description Only subscriptions in this state.
                 * @example active
                 */
                status?: "pending" | "active" | "paused" | "canceled" | "expired";
                /** @description A field, lowest first; with - before it highest first. Without, newest first. */
                sort?: "created_at" | "-created_at" | "start_date" | "-start_date";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "customer_id": "acme",
                     *           "plan_id": "plan_01jd3k9x",
                     *           "version": 1,
                     *           "version_id": "planv_01jd3k9x",
                     *           "currency": "usd",
                     *           "overrides": {
                     *             "recurring_fee": 19,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130,
                     *             "components": [
                     *               {
                     *                 "metric_id": "metric_01jd3k9x",
                     *                 "pricing_model": "per_unit",
                     *                 "overage_price": 0.002,
                     *                 "tiers": [
                     *                   {
                     *                     "up_to": 1000,
                     *                     "unit_price": 0.002,
                     *                     "flat_fee": 0
                     *                   }
                     *                 ],
                     *                 "package_size": null,
                     *                 "percentage": null,
                     *                 "fixed_amount": null,
                     *                 "per_event_minimum": null,
                     *                 "per_event_maximum": null,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130
                     *               }
                     *             ]
                     *           },
                     *           "status": "active",
                     *           "start_date": "2026-11-20",
                     *           "trial_days": null,
                     *           "trial_ends_at": null,
                     *           "end_date": null,
                     *           "auto_renew": true,
                     *           "billing_period": "monthly",
                     *           "charge_timing": "in_arrears",
                     *           "current_period_start": "2026-11-20T00:00:00.000Z",
                     *           "current_period_end": "2026-12-20T00:00:00.000Z",
                     *           "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                     *           "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                     *           "days_in_period": 30,
                     *           "cancel_at": null,
                     *           "canceled_at": null,
                     *           "cancel_reason": null,
                     *           "paused_at": null,
                     *           "pending_change": {
                     *             "new_plan_id": "plan_01jd3k9y",
                     *             "effective_date": "2026-11-20",
                     *             "invoicing_behavior": "add_to_next_invoice",
                     *             "usage_behavior": "transfer_to_new_subscription",
                     *             "overrides": {
                     *               "recurring_fee": 19,
                     *               "minimum_amount": 40,
                     *               "maximum_amount": 130,
                     *               "components": [
                     *                 {
                     *                   "metric_id": "metric_01jd3k9x",
                     *                   "pricing_model": "per_unit",
                     *                   "overage_price": 0.002,
                     *                   "tiers": [
                     *                     {
                     *                       "up_to": 1000,
                     *                       "unit_price": 0.002,
                     *                       "flat_fee": 0
                     *                     }
                     *                   ],
                     *                   "package_size": null,
                     *                   "percentage": null,
                     *                   "fixed_amount": null,
                     *                   "per_event_minimum": null,
                     *                   "per_event_maximum": null,
                     *                   "minimum_amount": 40,
                     *                   "maximum_amount": 130
                     *                 }
                     *               ]
                     *             }
                     *           },
                     *           "phases": [
                     *             {
                     *               "start_date": "2027-01-01",
                     *               "plan_id": null,
                     *               "version": null,
                     *               "overrides": {
                     *                 "recurring_fee": 19,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130,
                     *                 "components": [
                     *                   {
                     *                     "metric_id": "metric_01jd3k9x",
                     *                     "pricing_model": "per_unit",
                     *                     "overage_price": 0.002,
                     *                     "tiers": [
                     *                       {
                     *                         "up_to": 1000,
                     *                         "unit_price": 0.002,
                     *                         "flat_fee": 0
                     *                       }
                     *                     ],
                     *                     "package_size": null,
                     *                     "percentage": null,
                     *                     "fixed_amount": null,
                     *                     "per_event_minimum": null,
                     *                     "per_event_maximum": null,
                     *                     "minimum_amount": 40,
                     *                     "maximum_amount": 130
                     *                   }
                     *                 ]
                     *               }
                     *             }
                     *           ],
                     *           "addons": [
                     *             {
                     *               "addon_subscription_id": "addonsub_01jd3k9x",
                     *               "addon_id": "addon_01jd3k9x",
                     *               "subscription_id": "sub_01jd3k9x",
                     *               "quantity": 3,
                     *               "status": "active",
                     *               "attached_at": "2026-11-20T10:00:00.000Z"
                     *             }
                     *           ],
                     *           "prepaid_units": [
                     *             {
                     *               "metric_id": "metric_01jd3k9x",
                     *               "units": 1000,
                     *               "used": 100,
                     *               "remaining": 900
                     *             }
                     *           ],
                     *           "previous_subscription_id": null,
                     *           "replaced_by": null,
                     *           "created_at": "2026-11-20T10:00:00.000Z",
                     *           "metadata": {
                     *             "team": "growth"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["Subscription"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    createSubscription: {
        parameters: {
            query?: {
                /**
                 * @description With true nothing is done: the answer is what it would do.
                 * @example true
                 */
                preview?: boolean;
            };
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "customer_id": "acme",
                 *       "plan_id": "plan_01jd3k9x"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Who subscribes.
                     * @example acme
                     */
                    customer_id: string;
                    /**
                     * @description The plan to subscribe to.
                     * @example plan_01jd3k9x
                     */
                    plan_id: string;
                    /**
                     * Format: date
                     * @description First day, in the customer's time zone; without it today.
                     * @example 2026-11-20
                     */
                    start_date?: string;
                    /**
                     * Format: date
                     * @description Day on which it ends; without it none is planned.
                     * @example 2027-11-20
                     */
                    end_date?: string;
                    /**
                     * @description Whether another period follows; if not, the subscription expires at the end of the current one.
                     * @default true
                     * @example true
                     */
                    auto_renew?: boolean;
                    /**
                     * @description Version of the plan; without it the newest.
                     * @example 1
                     */
                    version?: number;
                    /**
                     * @description One of the plan's currencies; without it the customer's. A customer has one currency at a time.
                     * @example eur
                     */
                    currency?: string;
                    /**
                     * @description What is agreed on instead of what the plan says.
                     * @example {
                     *       "recurring_fee": 19,
                     *       "components": [
                     *         {
                     *           "metric_id": "metric_01jd3k9x",
                     *           "overage_price": 0.001
                     *         }
                     *       ]
                     *     }
                     */
                    overrides?: {
                        /**
                         * @description The fee of a period instead of that of the plan.
                         * @example 19
                         */
                        recurring_fee?: number;
                        /**
                         * @description The least that fee, prepaid units and usage of a period come to; what is missing is a true_up line.
                         * @example 40
                         */
                        minimum_amount?: number | null;
                        /**
                         * @description The most that fee, prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                         * @example 130
                         */
                        maximum_amount?: number | null;
                        /** @description What usage costs instead: components of the plan by their metric. */
                        components?: {
                            /**
                             * @description A metric that the plan bills.
                             * @example metric_01jd3k9x
                             */
                            metric_id: string;
                            /**
                             * @description Another pricing model; it replaces all fields of the price.
                             * @example per_unit
                             * @enum {string}
                             */
                            pricing_model?: "per_unit" | "tiered" | "volume" | "package" | "percentage";
                            /**
                             * @description Price of a unit beyond the free tier, up to 12 decimals; with package of one package.
                             * @example 0.002
                             */
                            overage_price?: number | null;
                            /**
                             * @description The same as overage_price; send one.
                             * @example 0.002
                             */
                            price?: number | null;
                            /** @description Bands of quantity with prices of their own, ascending; null with a single price. */
                            tiers?: {
                                /**
                                 * @description Upper edge of the tier, inclusive; null: no end.
                                 * @example 1000
                                 */
                                up_to: number | null;
                                /**
                                 * @description Price of a unit in the tier, up to 12 decimals.
                                 * @example 0.002
                                 */
                                unit_price: number;
                                /**
                                 * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                                 * @example 0
                                 */
                                flat_fee?: number;
                            }[] | null;
                            /**
                             * @description Units of a package; each started one is charged.
                             * @example null
                             */
                            package_size?: number | null;
                            /**
                             * @description With percentage: percent of the value of each event, 0 to 100.
                             * @example null
                             */
                            percentage?: number | null;
                            /**
                             * @description With percentage: charged for each event besides; by default 0.
                             * @example null
                             */
                            fixed_amount?: number | null;
                            /**
                             * @description With percentage: what each event costs at least; null: no bound.
                             * @example null
                             */
                            per_event_minimum?: number | null;
                            /**
                             * @description With percentage: what each event costs at most; null: no bound.
                             * @example null
                             */
                            per_event_maximum?: number | null;
                            /**
                             * @description The least that prepaid units and usage of a period come to; what is missing is a true_up line.
                             * @example 40
                             */
                            minimum_amount?: number | null;
                            /**
                             * @description The most that prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                             * @example 130
                             */
                            maximum_amount?: number | null;
                        }[];
                    };
                    /**
                     * @description Units to prepay by metric, in the place of the plan's.
                     * @default []
                     */
                    prepaid_units?: {
                        /**
                         * @description A metric that the plan bills.
                         * @example metric_01jd3k9x
                         */
                        metric_id: string;
                        /**
                         * @description Units of it to pay ahead, each period.
                         * @example 5000
                         */
                        units: number;
                    }[];
                    /**
                     * @description Days of trial to begin with instead of the plan's; 0: none.
                     * @example 14
                     */
                    trial_days?: number;
                    /**
                     * Format: date
                     * @description The day on which the trial ends, instead of trial_days: after today, at most 730 days after the start date.
                     * @example 2026-12-04
                     */
                    trial_ends_at?: string;
                    /**
                     * @description Coupons to redeem with it, in this order; the opening invoice is lowered already.
                     * @default []
                     * @example [
                     *       {
                     *         "code": "LAUNCH-15"
                     *       }
                     *     ]
                     */
                    discounts?: {
                        /**
                         * @description The coupon; or send code.
                         * @example coupon_01jd3k9x
                         */
                        coupon_id?: string;
                        /**
                         * @description The code of an active coupon, in any case.
                         * @example LAUNCH-15
                         */
                        code?: string;
                    }[];
                    /**
                     * @description What is agreed on for later dates, up to 20, in their order.
                     * @default []
                     */
                    phases?: {
                        /**
                         * Format: date
                         * @description The day from which it holds: of the plan that the subscription is on, from the first billing period after it.
                         * @example 2027-01-01
                         */
                        start_date: string;
                        /**
                         * @description Another plan to switch to; without it the plan stays.
                         * @example plan_01jd3k9y
                         */
                        plan_id?: string;
                        /**
                         * @description Version of the plan; without it the one that the subscription is on, of another plan the newest by then.
                         * @example 1
                         */
                        version?: number;
                        /**
                         * @description What is agreed on instead of what the plan says; without it nothing.
                         * @example {
                         *       "recurring_fee": 19,
                         *       "components": [
                         *         {
                         *           "metric_id": "metric_01jd3k9x",
                         *           "overage_price": 0.001
                         *         }
                         *       ]
                         *     }
                         */
                        overrides?: {
                            /**
                             * @description The fee of a period instead of that of the plan.
                             * @example 19
                             */
                            recurring_fee?: number;
                            /**
                             * @description The least that fee, prepaid units and usage of a period come to; what is missing is a true_up line.
                             * @example 40
                             */
                            minimum_amount?: number | null;
                            /**
                             * @description The most that fee, prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                             * @example 130
                             */
                            maximum_amount?: number | null;
                            /** @description What usage costs instead: components of the plan by their metric. */
                            components?: {
                                /**
                                 * @description A metric that the plan bills.
                                 * @example metric_01jd3k9x
                                 */
                                metric_id: string;
                                /**
                                 * @description Another pricing model; it replaces all fields of the price.
                                 * @example per_unit
                                 * @enum {string}
                                 */
                                pricing_model?: "per_unit" | "tiered" | "volume" | "package" | "percentage";
                                /**
                                 * @description Price of a unit beyond the free tier, up to 12 decimals; with package of one package.
                                 * @example 0.002
                                 */
                                overage_price?: number | null;
                                /**
                                 * @description The same as overage_price; send one.
                                 * @example 0.002
                                 */
                                price?: number | null;
                                /** @description Bands of quantity with prices of their own, ascending; null with a single price. */
                                tiers?: {
                                    /**
                                     * @description Upper edge of the tier, inclusive; null: no end.
                                     * @example 1000
                                     */
                                    up_to: number | null;
                                    /**
                                     * @description Price of a unit in the tier, up to 12 decimals.
                                     * @example 0.002
                                     */
                                    unit_price: number;
                                    /**
                                     * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                                     * @example 0
                                     */
                                    flat_fee?: number;
                                }[] | null;
                                /**
                                 * @description Units of a package; each started one is charged.
                                 * @example null
                                 */
                                package_size?: number | null;
                                /**
                                 * @description With percentage: percent of the value of each event, 0 to 100.
                                 * @example null
                                 */
                                percentage?: number | null;
                                /**
                                 * @description With percentage: charged for each event besides; by default 0.
                                 * @example null
                                 */
                                fixed_amount?: number | null;
                                /**
                                 * @description With percentage: what each event costs at least; null: no bound.
                                 * @example null
                                 */
                                per_event_minimum?: number | null;
                                /**
                                 * @description With percentage: what each event costs at most; null: no bound.
                                 * @example null
                                 */
                                per_event_maximum?: number | null;
                                /**
                                 * @description The least that prepaid units and usage of a period come to; what is missing is a true_up line.
                                 * @example 40
                                 */
                                minimum_amount?: number | null;
                                /**
                                 * @description The most that prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                                 * @example 130
                                 */
                                maximum_amount?: number | null;
                            }[];
                        };
                    }[];
                    /**
                     * @description The caller's own texts: up to 50 keys with values of up to 500 characters.
                     * @example {
                     *       "team": "growth"
                     *     }
                     */
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "plan_id": "plan_01jd3k9x",
                     *       "version": 1,
                     *       "version_id": "planv_01jd3k9x",
                     *       "currency": "usd",
                     *       "overrides": {
                     *         "recurring_fee": 19,
                     *         "minimum_amount": 40,
                     *         "maximum_amount": 130,
                     *         "components": [
                     *           {
                     *             "metric_id": "metric_01jd3k9x",
                     *             "pricing_model": "per_unit",
                     *             "overage_price": 0.002,
                     *             "tiers": [
                     *               {
                     *                 "up_to": 1000,
                     *                 "unit_price": 0.002,
                     *                 "flat_fee": 0
                     *               }
                     *             ],
                     *             "package_size": null,
                     *             "percentage": null,
                     *             "fixed_amount": null,
                     *             "per_event_minimum": null,
                     *             "per_event_maximum": null,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130
                     *           }
                     *         ]
                     *       },
                     *       "status": "active",
                     *       "start_date": "2026-11-20",
                     *       "trial_days": null,
                     *       "trial_ends_at": null,
                     *       "end_date": null,
                     *       "auto_renew": true,
                     *       "billing_period": "monthly",
                     *       "charge_timing": "in_arrears",
                     *       "current_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_period_end": "2026-12-20T00:00:00.000Z",
                     *       "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                     *       "days_in_period": 30,
                     *       "cancel_at": null,
                     *       "canceled_at": null,
                     *       "cancel_reason": null,
                     *       "paused_at": null,
                     *       "pending_change": {
                     *         "new_plan_id": "plan_01jd3k9y",
                     *         "effective_date": "2026-11-20",
                     *         "invoicing_behavior": "add_to_next_invoice",
                     *         "usage_behavior": "transfer_to_new_subscription",
                     *         "overrides": {
                     *           "recurring_fee": 19,
                     *           "minimum_amount": 40,
                     *           "maximum_amount": 130,
                     *           "components": [
                     *             {
                     *               "metric_id": "metric_01jd3k9x",
                     *               "pricing_model": "per_unit",
                     *               "overage_price": 0.002,
                     *               "tiers": [
                     *                 {
                     *                   "up_to": 1000,
                     *                   "unit_price": 0.002,
                     *                   "flat_fee": 0
                     *                 }
                     *               ],
                     *               "package_size": null,
                     *               "percentage": null,
                     *               "fixed_amount": null,
                     *               "per_event_minimum": null,
                     *               "per_event_maximum": null,
                     *               "minimum_amount": 40,
                     *               "maximum_amount": 130
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "phases": [
                     *         {
                     *           "start_date": "2027-01-01",
                     *           "plan_id": null,
                     *           "version": null,
                     *           "overrides": {
                     *             "recurring_fee": 19,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130,
                     *             "components": [
                     *               {
                     *                 "metric_id": "metric_01jd3k9x",
                     *                 "pricing_model": "per_unit",
                     *                 "overage_price": 0.002,
                     *                 "tiers": [
                     *                   {
                     *                     "up_to": 1000,
                     *                     "unit_price": 0.002,
                     *                     "flat_fee": 0
                     *                   }
                     *                 ],
                     *                 "package_size": null,
                     *                 "percentage": null,
                     *                 "fixed_amount": null,
                     *                 "per_event_minimum": null,
                     *                 "per_event_maximum": null,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "addons": [
                     *         {
                     *           "addon_subscription_id": "addonsub_01jd3k9x",
                     *           "addon_id": "addon_01jd3k9x",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "quantity": 3,
                     *           "status": "active",
                     *           "attached_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "prepaid_units": [
                     *         {
                     *           "metric_id": "metric_01jd3k9x",
                     *           "units": 1000,
                     *           "used": 100,
                     *           "remaining": 900
                     *         }
                     *       ],
                     *       "previous_subscription_id": null,
                     *       "replaced_by": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "metadata": {
                     *         "team": "growth"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "plan_id": "plan_01jd3k9x",
                     *       "version": 1,
                     *       "version_id": "planv_01jd3k9x",
                     *       "currency": "usd",
                     *       "overrides": {
                     *         "recurring_fee": 19,
                     *         "minimum_amount": 40,
                     *         "maximum_amount": 130,
                     *         "components": [
                     *           {
                     *             "metric_id": "metric_01jd3k9x",
                     *             "pricing_model": "per_unit",
                     *             "overage_price": 0.002,
                     *             "tiers": [
                     *               {
                     *                 "up_to": 1000,
                     *                 "unit_price": 0.002,
                     *                 "flat_fee": 0
                     *               }
                     *             ],
                     *             "package_size": null,
                     *             "percentage": null,
                     *             "fixed_amount": null,
                     *             "per_event_minimum": null,
                     *             "per_event_maximum": null,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130
                     *           }
                     *         ]
                     *       },
                     *       "status": "active",
                     *       "start_date": "2026-11-20",
                     *       "trial_days": null,
                     *       "trial_ends_at": null,
                     *       "end_date": null,
                     *       "auto_renew": true,
                     *       "billing_period": "monthly",
                     *       "charge_timing": "in_arrears",
                     *       "current_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_period_end": "2026-12-20T00:00:00.000Z",
                     *       "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                     *       "days_in_period": 30,
                     *       "cancel_at": null,
                     *       "canceled_at": null,
                     *       "cancel_reason": null,
                     *       "paused_at": null,
                     *       "pending_change": {
                     *         "new_plan_id": "plan_01jd3k9y",
                     *         "effective_date": "2026-11-20",
                     *         "invoicing_behavior": "add_to_next_invoice",
                     *         "usage_behavior": "transfer_to_new_subscription",
                     *         "overrides": {
                     *           "recurring_fee": 19,
                     *           "minimum_amount": 40,
                     *           "maximum_amount": 130,
                     *           "components": [
                     *             {
                     *               "metric_id": "metric_01jd3k9x",
                     *               "pricing_model": "per_unit",
                     *               "overage_price": 0.002,
                     *               "tiers": [
                     *                 {
                     *                   "up_to": 1000,
                     *                   "unit_price": 0.002,
                     *                   "flat_fee": 0
                     *                 }
                     *               ],
                     *               "package_size": null,
                     *               "percentage": null,
                     *               "fixed_amount": null,
                     *               "per_event_minimum": null,
                     *               "per_event_maximum": null,
                     *               "minimum_amount": 40,
                     *               "maximum_amount": 130
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "phases": [
                     *         {
                     *           "start_date": "2027-01-01",
                     *           "plan_id": null,
                     *           "version": null,
                     *           "overrides": {
                     *             "recurring_fee": 19,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130,
                     *             "components": [
                     *               {
                     *                 "metric_id": "metric_01jd3k9x",
                     *                 "pricing_model": "per_unit",
                     *                 "overage_price": 0.002,
                     *                 "tiers": [
                     *                   {
                     *                     "up_to": 1000,
                     *                     "unit_price": 0.002,
                     *                     "flat_fee": 0
                     *                   }
                     *                 ],
                     *                 "package_size": null,
                     *                 "percentage": null,
                     *                 "fixed_amount": null,
                     *                 "per_event_minimum": null,
                     *                 "per_event_maximum": null,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "addons": [
                     *         {
                     *           "addon_subscription_id": "addonsub_01jd3k9x",
                     *           "addon_id": "addon_01jd3k9x",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "quantity": 3,
                     *           "status": "active",
                     *           "attached_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "prepaid_units": [
                     *         {
                     *           "metric_id": "metric_01jd3k9x",
                     *           "units": 1000,
                     *           "used": 100,
                     *           "remaining": 900
                     *         }
                     *       ],
                     *       "previous_subscription_id": null,
                     *       "replaced_by": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "metadata": {
                     *         "team": "growth"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "auto_renew": false
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Whether another period follows; if not, the subscription expires at the end of the current one.
                     * @example true
                     */
                    auto_renew?: boolean;
                    /**
                     * Format: date
                     * @description Another day for the trial that goes on to end: after today, at most 730 days after the start date.
                     * @example 2026-12-11
                     */
                    trial_ends_at?: string;
                    /**
                     * @description The caller's own texts: up to 50 keys with values of up to 500 characters.
                     * @example {
                     *       "team": "growth"
                     *     }
                     */
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "plan_id": "plan_01jd3k9x",
                     *       "version": 1,
                     *       "version_id": "planv_01jd3k9x",
                     *       "currency": "usd",
                     *       "overrides": {
                     *         "recurring_fee": 19,
                     *         "minimum_amount": 40,
                     *         "maximum_amount": 130,
                     *         "components": [
                     *           {
                     *             "metric_id": "metric_01jd3k9x",
                     *             "pricing_model": "per_unit",
                     *             "overage_price": 0.002,
                     *             "tiers": [
                     *               {
                     *                 "up_to": 1000,
                     *                 "unit_price": 0.002,
                     *                 "flat_fee": 0
                     *               }
                     *             ],
                     *             "package_size": null,
                     *             "percentage": null,
                     *             "fixed_amount": null,
                     *             "per_event_minimum": null,
                     *             "per_event_maximum": null,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130
                     *           }
                     *         ]
                     *       },
                     *       "status": "active",
                     *       "start_date": "2026-11-20",
                     *       "trial_days": null,
                     *       "trial_ends_at": null,
                     *       "end_date": null,
                     *       "auto_renew": true,
                     *       "billing_period": "monthly",
                     *       "charge_timing": "in_arrears",
                     *       "current_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_period_end": "2026-12-20T00:00:00.000Z",
                     *       "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                     *       "days_in_period": 30,
                     *       "cancel_at": null,
                     *       "canceled_at": null,
                     *       "cancel_reason": null,
                     *       "paused_at": null,
                     *       "pending_change": {
                     *         "new_plan_id": "plan_01jd3k9y",
                     *         "effective_date": "2026-11-20",
                     *         "invoicing_behavior": "add_to_next_invoice",
                     *         "usage_behavior": "transfer_to_new_subscription",
                     *         "overrides": {
                     *           "recurring_fee": 19,
                     *           "minimum_amount": 40,
                     *           "maximum_amount": 130,
                     *           "components": [
                     *             {
                     *               "metric_id": "metric_01jd3k9x",
                     *               "pricing_model": "per_unit",
                     *               "overage_price": 0.002,
                     *               "tiers": [
                     *                 {
                     *                   "up_to": 1000,
                     *                   "unit_price": 0.002,
                     *                   "flat_fee": 0
                     *                 }
                     *               ],
                     *               "package_size": null,
                     *               "percentage": null,
                     *               "fixed_amount": null,
                     *               "per_event_minimum": null,
                     *               "per_event_maximum": null,
                     *               "minimum_amount": 40,
                     *               "maximum_amount": 130
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "phases": [
                     *         {
                     *           "start_date": "2027-01-01",
                     *           "plan_id": null,
                     *           "version": null,
                     *           "overrides": {
                     *             "recurring_fee": 19,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130,
                     *             "components": [
                     *               {
                     *                 "metric_id": "metric_01jd3k9x",
                     *                 "pricing_model": "per_unit",
                     *                 "overage_price": 0.002,
                     *                 "tiers": [
                     *                   {
                     *                     "up_to": 1000,
                     *                     "unit_price": 0.002,
                     *                     "flat_fee": 0
                     *                   }
                     *                 ],
                     *                 "package_size": null,
                     *                 "percentage": null,
                     *                 "fixed_amount": null,
                     *                 "per_event_minimum": null,
                     *                 "per_event_maximum": null,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "addons": [
                     *         {
                     *           "addon_subscription_id": "addonsub_01jd3k9x",
                     *           "addon_id": "addon_01jd3k9x",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "quantity": 3,
                     *           "status": "active",
                     *           "attached_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "prepaid_units": [
                     *         {
                     *           "metric_id": "metric_01jd3k9x",
                     *           "units": 1000,
                     *           "used": 100,
                     *           "remaining": 900
                     *         }
                     *       ],
                     *       "previous_subscription_id": null,
                     *       "replaced_by": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "metadata": {
                     *         "team": "growth"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    replacePhases: {
        parameters: {
            query?: {
                /**
                 * @description With true nothing is done: the answer is what it would do.
                 * @example true
                 */
                preview?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "phases": [
                 *         {
                 *           "start_date": "2027-01-01",
                 *           "overrides": {
                 *             "recurring_fee": 1200
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description What is agreed on for later dates; an empty list: nothing. */
                    phases: {
                        /**
                         * Format: date
                         * @description The day from which it holds: of the plan that the subscription is on, from the first billing period after it.
                         * @example 2027-01-01
                         */
                        start_date: string;
                        /**
                         * @description Another plan to switch to; without it the plan stays.
                         * @example plan_01jd3k9y
                         */
                        plan_id?: string;
                        /**
                         * @description Version of the plan; without it the one that the subscription is on, of another plan the newest by then.
                         * @example 1
                         */
                        version?: number;
                        /**
                         * @description What is agreed on instead of what the plan says; without it nothing.
                         * @example {
                         *       "recurring_fee": 19,
                         *       "components": [
                         *         {
                         *           "metric_id": "metric_01jd3k9x",
                         *           "overage_price": 0.001
                         *         }
                         *       ]
                         *     }
                         */
                        overrides?: {
                            /**
                             * @description The fee of a period instead of that of the plan.
                             * @example 19
                             */
                            recurring_fee?: number;
                            /**
                             * @description The least that fee, prepaid units and usage of a period come to; what is missing is a true_up line.
                             * @example 40
                             */
                            minimum_amount?: number | null;
                            /**
                             * @description The most that fee, prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                             * @example 130
                             */
                            maximum_amount?: number | null;
                            /** @description What usage costs instead: components of the plan by their metric. */
                            components?: {
                                /**
                                 * @description A metric that the plan bills.
                                 * @example metric_01jd3k9x
                                 */
                                metric_id: string;
                                /**
                                 * @description Another pricing model; it replaces all fields of the price.
                                 * @example per_unit
                                 * @enum {string}
                                 */
                                pricing_model?: "per_unit" | "tiered" | "volume" | "package" | "percentage";
                                /**
                                 * @description Price of a unit beyond the free tier, up to 12 decimals; with package of one package.
                                 * @example 0.002
                                 */
                                overage_price?: number | null;
                                /**
                                 * @description The same as overage_price; send one.
                                 * @example 0.002
                                 */
                                price?: number | null;
                                /** @description Bands of quantity with prices of their own, ascending; null with a single price. */
                                tiers?: {
                                    /**
                                     * @description Upper edge of the tier, inclusive; null: no end.
                                     * @example 1000
                                     */
                                    up_to: number | null;
                                    /**
                                     * @description Price of a unit in the tier, up to 12 decimals.
                                     * @example 0.002
                                     */
                                    unit_price: number;
                                    /**
                                     * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                                     * @example 0
                                     */
                                    flat_fee?: number;
                                }[] | null;
                                /**
                                 * @description Units of a package; each started one is charged.
                                 * @example null
                                 */
                                package_size?: number | null;
                                /**
                                 * @description With percentage: percent of the value of each event, 0 to 100.
                                 * @example null
                                 */
                                percentage?: number | null;
                                /**
                                 * @description With percentage: charged for each event besides; by default 0.
                                 * @example null
                                 */
                                fixed_amount?: number | null;
                                /**
                                 * @description With percentage: what each event costs at least; null: no bound.
                                 * @example null
                                 */
                                per_event_minimum?: number | null;
                                /**
                                 * @description With percentage: what each event costs at most; null: no bound.
                                 * @example null
                                 */
                                per_event_maximum?: number | null;
                                /**
                                 * @description The least that prepaid units and usage of a period come to; what is missing is a true_up line.
                                 * @example 40
                                 */
                                minimum_amount?: number | null;
                                /**
                                 * @description The most that prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                                 * @example 130
                                 */
                                maximum_amount?: number | null;
                            }[];
                        };
                    }[];
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "plan_id": "plan_01jd3k9x",
                     *       "version": 1,
                     *       "version_id": "planv_01jd3k9x",
                     *       "currency": "usd",
                     *       "overrides": {
                     *         "recurring_fee": 19,
                     *         "minimum_amount": 40,
                     *         "maximum_amount": 130,
                     *         "components": [
                     *           {
                     *             "metric_id": "metric_01jd3k9x",
                     *             "pricing_model": "per_unit",
                     *             "overage_price": 0.002,
                     *             "tiers": [
                     *               {
                     *                 "up_to": 1000,
                     *                 "unit_price": 0.002,
                     *                 "flat_fee": 0
                     *               }
                     *             ],
                     *             "package_size": null,
                     *             "percentage": null,
                     *             "fixed_amount": null,
                     *             "per_event_minimum": null,
                     *             "per_event_maximum": null,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130
                     *           }
                     *         ]
                     *       },
                     *       "status": "active",
                     *       "start_date": "2026-11-20",
                     *       "trial_days": null,
                     *       "trial_ends_at": null,
                     *       "end_date": null,
                     *       "auto_renew": true,
                     *       "billing_period": "monthly",
                     *       "charge_timing": "in_arrears",
                     *       "current_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_period_end": "2026-12-20T00:00:00.000Z",
                     *       "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                     *       "days_in_period": 30,
                     *       "cancel_at": null,
                     *       "canceled_at": null,
                     *       "cancel_reason": null,
                     *       "paused_at": null,
                     *       "pending_change": {
                     *         "new_plan_id": "plan_01jd3k9y",
                     *         "effective_date": "2026-11-20",
                     *         "invoicing_behavior": "add_to_next_invoice",
                     *         "usage_behavior": "transfer_to_new_subscription",
                     *         "overrides": {
                     *           "recurring_fee": 19,
                     *           "minimum_amount": 40,
                     *           "maximum_amount": 130,
                     *           "components": [
                     *             {
                     *               "metric_id": "metric_01jd3k9x",
                     *               "pricing_model": "per_unit",
                     *               "overage_price": 0.002,
                     *               "tiers": [
                     *                 {
                     *                   "up_to": 1000,
                     *                   "unit_price": 0.002,
                     *                   "flat_fee": 0
                     *                 }
                     *               ],
                     *               "package_size": null,
                     *               "percentage": null,
                     *               "fixed_amount": null,
                     *               "per_event_minimum": null,
                     *               "per_event_maximum": null,
                     *               "minimum_amount": 40,
                     *               "maximum_amount": 130
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "phases": [
                     *         {
                     *           "start_date": "2027-01-01",
                     *           "plan_id": null,
                     *           "version": null,
                     *           "overrides": {
                     *             "recurring_fee": 19,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130,
                     *             "components": [
                     *               {
                     *                 "metric_id": "metric_01jd3k9x",
                     *                 "pricing_model": "per_unit",
                     *                 "overage_price": 0.002,
                     *                 "tiers": [
                     *                   {
                     *                     "up_to": 1000,
                     *                     "unit_price": 0.002,
                     *                     "flat_fee": 0
                     *                   }
                     *                 ],
                     *                 "package_size": null,
                     *                 "percentage": null,
                     *                 "fixed_amount": null,
                     *                 "per_event_minimum": null,
                     *                 "per_event_maximum": null,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "addons": [
                     *         {
                     *           "addon_subscription_id": "addonsub_01jd3k9x",
                     *           "addon_id": "addon_01jd3k9x",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "quantity": 3,
                     *           "status": "active",
                     *           "attached_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "prepaid_units": [
                     *         {
                     *           "metric_id": "metric_01jd3k9x",
                     *           "units": 1000,
                     *           "used": 100,
                     *           "remaining": 900
                     *         }
                     *       ],
                     *       "previous_subscription_id": null,
                     *       "replaced_by": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "metadata": {
                     *         "team": "growth"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelSubscription: {
        parameters: {
            query?: {
                /**
                 * @description With true nothing is done: the answer is what it would do.
                 * @example true
                 */
                preview?: boolean;
            };
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "cancel_at": "end_of_period"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description How the fee of the current period is treated: charge_prorated, charge_full or refund.
                     * @default charge_prorated
                     * @example charge_prorated
                     * @enum {string}
                     */
                    flat_fee_behavior?: "charge_prorated" | "charge_full" | "refund";
                    /**
                     * @description Whether usage up to the cancel is billed.
                     * @default true
                     * @example true
                     */
                    bill_usage?: boolean;
                    /**
                     * @description Whether it is billed with the next invoice or now.
                     * @default add_to_next_invoice
                     * @example add_to_next_invoice
                     * @enum {string}
                     */
                    invoicing_behavior?: "add_to_next_invoice" | "invoice_now";
                    /**
                     * @description `immediately`, `end_of_period` or a date; null withdraws a planned cancel. Also: effective_date.
                     * @default immediately
                     * @example end_of_period
                     */
                    cancel_at?: string | null;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "plan_id": "plan_01jd3k9x",
                     *       "version": 1,
                     *       "version_id": "planv_01jd3k9x",
                     *       "currency": "usd",
                     *       "overrides": {
                     *         "recurring_fee": 19,
                     *         "minimum_amount": 40,
                     *         "maximum_amount": 130,
                     *         "components": [
                     *           {
                     *             "metric_id": "metric_01jd3k9x",
                     *             "pricing_model": "per_unit",
                     *             "overage_price": 0.002,
                     *             "tiers": [
                     *               {
                     *                 "up_to": 1000,
                     *                 "unit_price": 0.002,
                     *                 "flat_fee": 0
                     *               }
                     *             ],
                     *             "package_size": null,
                     *             "percentage": null,
                     *             "fixed_amount": null,
                     *             "per_event_minimum": null,
                     *             "per_event_maximum": null,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130
                     *           }
                     *         ]
                     *       },
                     *       "status": "active",
                     *       "start_date": "2026-11-20",
                     *       "trial_days": null,
                     *       "trial_ends_at": null,
                     *       "end_date": null,
                     *       "auto_renew": true,
                     *       "billing_period": "monthly",
                     *       "charge_timing": "in_arrears",
                     *       "current_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_period_end": "2026-12-20T00:00:00.000Z",
                     *       "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                     *       "days_in_period": 30,
                     *       "cancel_at": null,
                     *       "canceled_at": null,
                     *       "cancel_reason": null,
                     *       "paused_at": null,
                     *       "pending_change": {
                     *         "new_plan_id": "plan_01jd3k9y",
                     *         "effective_date": "2026-11-20",
                     *         "invoicing_behavior": "add_to_next_invoice",
                     *         "usage_behavior": "transfer_to_new_subscription",
                     *         "overrides": {
                     *           "recurring_fee": 19,
                     *           "minimum_amount": 40,
                     *           "maximum_amount": 130,
                     *           "components": [
                     *             {
                     *               "metric_id": "metric_01jd3k9x",
                     *               "pricing_model": "per_unit",
                     *               "overage_price": 0.002,
                     *               "tiers": [
                     *                 {
                     *                   "up_to": 1000,
                     *                   "unit_price": 0.002,
                     *                   "flat_fee": 0
                     *                 }
                     *               ],
                     *               "package_size": null,
                     *               "percentage": null,
                     *               "fixed_amount": null,
                     *               "per_event_minimum": null,
                     *               "per_event_maximum": null,
                     *               "minimum_amount": 40,
                     *               "maximum_amount": 130
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "phases": [
                     *         {
                     *           "start_date": "2027-01-01",
                     *           "plan_id": null,
                     *           "version": null,
                     *           "overrides": {
                     *             "recurring_fee": 19,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130,
                     *             "components": [
                     *               {
                     *                 "metric_id": "metric_01jd3k9x",
                     *                 "pricing_model": "per_unit",
                     *                 "overage_price": 0.002,
                     *                 "tiers": [
                     *                   {
                     *                     "up_to": 1000,
                     *                     "unit_price": 0.002,
                     *                     "flat_fee": 0
                     *                   }
                     *                 ],
                     *                 "package_size": null,
                     *                 "percentage": null,
                     *                 "fixed_amount": null,
                     *                 "per_event_minimum": null,
                     *                 "per_event_maximum": null,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "addons": [
                     *         {
                     *           "addon_subscription_id": "addonsub_01jd3k9x",
                     *           "addon_id": "addon_01jd3k9x",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "quantity": 3,
                     *           "status": "active",
                     *           "attached_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "prepaid_units": [
                     *         {
                     *           "metric_id": "metric_01jd3k9x",
                     *           "units": 1000,
                     *           "used": 100,
                     *           "remaining": 900
                     *         }
                     *       ],
                     *       "previous_subscription_id": null,
                     *       "replaced_by": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "metadata": {
                     *         "team": "growth"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    switchPlan: {
        parameters: {
            query?: {
                /**
                 * @description With true nothing is done: the answer is what it would do.
                 * @example true
                 */
                preview?: boolean;
            };
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "new_plan_id": "plan_01jd3k9y"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The plan to switch to.
                     * @example plan_01jd3k9y
                     */
                    new_plan_id?: string | null;
                    /**
                     * @description Whether it is billed with the next invoice or now.
                     * @default add_to_next_invoice
                     * @example add_to_next_invoice
                     * @enum {string}
                     */
                    invoicing_behavior?: "add_to_next_invoice" | "invoice_now";
                    /**
                     * @description Whether usage of the whole period is rated by the new plan, or the new one starts at zero.
                     * @default transfer_to_new_subscription
                     * @example transfer_to_new_subscription
                     * @enum {string}
                     */
                    usage_behavior?: "transfer_to_new_subscription" | "reset_usage";
                    /**
                     * Format: date
                     * @description Day on which the switch happens; without it now, null withdraws a planned one.
                     * @example 2026-12-20
                     */
                    effective_date?: string | null;
                    /**
                     * @description What is agreed on instead of what the plan says, in its version of now; without it those of the old subscription end with it.
                     * @example {
                     *       "recurring_fee": 19,
                     *       "components": [
                     *         {
                     *           "metric_id": "metric_01jd3k9x",
                     *           "overage_price": 0.001
                     *         }
                     *       ]
                     *     }
                     */
                    overrides?: {
                        /**
                         * @description The fee of a period instead of that of the plan.
                         * @example 19
                         */
                        recurring_fee?: number;
                        /**
                         * @description The least that fee, prepaid units and usage of a period come to; what is missing is a true_up line.
                         * @example 40
                         */
                        minimum_amount?: number | null;
                        /**
                         * @description The most that fee, prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                         * @example 130
                         */
                        maximum_amount?: number | null;
                        /** @description What usage costs instead: components of the plan by their metric. */
                        components?: {
                            /**
                             * @description A metric that the plan bills.
                             * @example metric_01jd3k9x
                             */
                            metric_id: string;
                            /**
                             * @description Another pricing model; it replaces all fields of the price.
                             * @example per_unit
                             * @enum {string}
                             */
                            pricing_model?: "per_unit" | "tiered" | "volume" | "package" | "percentage";
                            /**
                             * @description Price of a unit beyond the free tier, up to 12 decimals; with package of one package.
                             * @example 0.002
                             */
                            overage_price?: number | null;
                            /**
                             * @description The same as overage_price; send one.
                             * @example 0.002
                             */
                            price?: number | null;
                            /** @description Bands of quantity with prices of their own, ascending; null with a single price. */
                            tiers?: {
                                /**
                                 * @description Upper edge of the tier, inclusive; null: no end.
                                 * @example 1000
                                 */
                                up_to: number | null;
                                /**
                                 * @description Price of a unit in the tier, up to 12 decimals.
                                 * @example 0.002
                                 */
                                unit_price: number;
                                /**
                                 * @description A tier's fixed price, charged when a quantity above 0 falls in it.
                                 * @example 0
                                 */
                                flat_fee?: number;
                            }[] | null;
                            /**
                             * @description Units of a package; each started one is charged.
                             * @example null
                             */
                            package_size?: number | null;
                            /**
                             * @description With percentage: percent of the value of each event, 0 to 100.
                             * @example null
                             */
                            percentage?: number | null;
                            /**
                             * @description With percentage: charged for each event besides; by default 0.
                             * @example null
                             */
                            fixed_amount?: number | null;
                            /**
                             * @description With percentage: what each event costs at least; null: no bound.
                             * @example null
                             */
                            per_event_minimum?: number | null;
                            /**
                             * @description With percentage: what each event costs at most; null: no bound.
                             * @example null
                             */
                            per_event_maximum?: number | null;
                            /**
                             * @description The least that prepaid units and usage of a period come to; what is missing is a true_up line.
                             * @example 40
                             */
                            minimum_amount?: number | null;
                            /**
                             * @description The most that prepaid units and usage of a period come to; what is beyond is a true_up line below 0.
                             * @example 130
                             */
                            maximum_amount?: number | null;
                        }[];
                    };
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "plan_id": "plan_01jd3k9x",
                     *       "version": 1,
                     *       "version_id": "planv_01jd3k9x",
                     *       "currency": "usd",
                     *       "overrides": {
                     *         "recurring_fee": 19,
                     *         "minimum_amount": 40,
                     *         "maximum_amount": 130,
                     *         "components": [
                     *           {
                     *             "metric_id": "metric_01jd3k9x",
                     *             "pricing_model": "per_unit",
                     *             "overage_price": 0.002,
                     *             "tiers": [
                     *               {
                     *                 "up_to": 1000,
                     *                 "unit_price": 0.002,
                     *                 "flat_fee": 0
                     *               }
                     *             ],
                     *             "package_size": null,
                     *             "percentage": null,
                     *             "fixed_amount": null,
                     *             "per_event_minimum": null,
                     *             "per_event_maximum": null,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130
                     *           }
                     *         ]
                     *       },
                     *       "status": "active",
                     *       "start_date": "2026-11-20",
                     *       "trial_days": null,
                     *       "trial_ends_at": null,
                     *       "end_date": null,
                     *       "auto_renew": true,
                     *       "billing_period": "monthly",
                     *       "charge_timing": "in_arrears",
                     *       "current_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_period_end": "2026-12-20T00:00:00.000Z",
                     *       "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                     *       "days_in_period": 30,
                     *       "cancel_at": null,
                     *       "canceled_at": null,
                     *       "cancel_reason": null,
                     *       "paused_at": null,
                     *       "pending_change": {
                     *         "new_plan_id": "plan_01jd3k9y",
                     *         "effective_date": "2026-11-20",
                     *         "invoicing_behavior": "add_to_next_invoice",
                     *         "usage_behavior": "transfer_to_new_subscription",
                     *         "overrides": {
                     *           "recurring_fee": 19,
                     *           "minimum_amount": 40,
                     *           "maximum_amount": 130,
                     *           "components": [
                     *             {
                     *               "metric_id": "metric_01jd3k9x",
                     *               "pricing_model": "per_unit",
                     *               "overage_price": 0.002,
                     *               "tiers": [
                     *                 {
                     *                   "up_to": 1000,
                     *                   "unit_price": 0.002,
                     *                   "flat_fee": 0
                     *                 }
                     *               ],
                     *               "package_size": null,
                     *               "percentage": null,
                     *               "fixed_amount": null,
                     *               "per_event_minimum": null,
                     *               "per_event_maximum": null,
                     *               "minimum_amount": 40,
                     *               "maximum_amount": 130
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "phases": [
                     *         {
                     *           "start_date": "2027-01-01",
                     *           "plan_id": null,
                     *           "version": null,
                     *           "overrides": {
                     *             "recurring_fee": 19,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130,
                     *             "components": [
                     *               {
                     *                 "metric_id": "metric_01jd3k9x",
                     *                 "pricing_model": "per_unit",
                     *                 "overage_price": 0.002,
                     *                 "tiers": [
                     *                   {
                     *                     "up_to": 1000,
                     *                     "unit_price": 0.002,
                     *                     "flat_fee": 0
                     *                   }
                     *                 ],
                     *                 "package_size": null,
                     *                 "percentage": null,
                     *                 "fixed_amount": null,
                     *                 "per_event_minimum": null,
                     *                 "per_event_maximum": null,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "addons": [
                     *         {
                     *           "addon_subscription_id": "addonsub_01jd3k9x",
                     *           "addon_id": "addon_01jd3k9x",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "quantity": 3,
                     *           "status": "active",
                     *           "attached_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "prepaid_units": [
                     *         {
                     *           "metric_id": "metric_01jd3k9x",
                     *           "units": 1000,
                     *           "used": 100,
                     *           "remaining": 900
                     *         }
                     *       ],
                     *       "previous_subscription_id": null,
                     *       "replaced_by": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "metadata": {
                     *         "team": "growth"
                     *       },
                     *       "proration": {
                     *         "amount": 20,
                     *         "direction": "charge",
                     *         "days_remaining": 10,
                     *         "days_in_period": 30
                     *       },
                     *       "invoice_id": null
                     *     }
                     */
                    "application/json": components["schemas"]["PlanSwitch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    pauseSubscription: {
        parameters: {
            query?: {
                /**
                 * @description With true nothing is done: the answer is what it would do.
                 * @example true
                 */
                preview?: boolean;
            };
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "seasonal"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description When it goes on by itself: a date or a date-time; null: when it is resumed.
                     * @example null
                     */
                    resumes_at?: string | null;
                    /**
                     * @description Why it is paused, in your words.
                     * @default null
                     * @example seasonal
                     */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "plan_id": "plan_01jd3k9x",
                     *       "version": 1,
                     *       "version_id": "planv_01jd3k9x",
                     *       "currency": "usd",
                     *       "overrides": {
                     *         "recurring_fee": 19,
                     *         "minimum_amount": 40,
                     *         "maximum_amount": 130,
                     *         "components": [
                     *           {
                     *             "metric_id": "metric_01jd3k9x",
                     *             "pricing_model": "per_unit",
                     *             "overage_price": 0.002,
                     *             "tiers": [
                     *               {
                     *                 "up_to": 1000,
                     *                 "unit_price": 0.002,
                     *                 "flat_fee": 0
                     *               }
                     *             ],
                     *             "package_size": null,
                     *             "percentage": null,
                     *             "fixed_amount": null,
                     *             "per_event_minimum": null,
                     *             "per_event_maximum": null,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130
                     *           }
                     *         ]
                     *       },
                     *       "status": "active",
                     *       "start_date": "2026-11-20",
                     *       "trial_days": null,
                     *       "trial_ends_at": null,
                     *       "end_date": null,
                     *       "auto_renew": true,
                     *       "billing_period": "monthly",
                     *       "charge_timing": "in_arrears",
                     *       "current_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_period_end": "2026-12-20T00:00:00.000Z",
                     *       "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                     *       "days_in_period": 30,
                     *       "cancel_at": null,
                     *       "canceled_at": null,
                     *       "cancel_reason": null,
                     *       "paused_at": null,
                     *       "pending_change": {
                     *         "new_plan_id": "plan_01jd3k9y",
                     *         "effective_date": "2026-11-20",
                     *         "invoicing_behavior": "add_to_next_invoice",
                     *         "usage_behavior": "transfer_to_new_subscription",
                     *         "overrides": {
                     *           "recurring_fee": 19,
                     *           "minimum_amount": 40,
                     *           "maximum_amount": 130,
                     *           "components": [
                     *             {
                     *               "metric_id": "metric_01jd3k9x",
                     *               "pricing_model": "per_unit",
                     *               "overage_price": 0.002,
                     *               "tiers": [
                     *                 {
                     *                   "up_to": 1000,
                     *                   "unit_price": 0.002,
                     *                   "flat_fee": 0
                     *                 }
                     *               ],
                     *               "package_size": null,
                     *               "percentage": null,
                     *               "fixed_amount": null,
                     *               "per_event_minimum": null,
                     *               "per_event_maximum": null,
                     *               "minimum_amount": 40,
                     *               "maximum_amount": 130
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "phases": [
                     *         {
                     *           "start_date": "2027-01-01",
                     *           "plan_id": null,
                     *           "version": null,
                     *           "overrides": {
                     *             "recurring_fee": 19,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130,
                     *             "components": [
                     *               {
                     *                 "metric_id": "metric_01jd3k9x",
                     *                 "pricing_model": "per_unit",
                     *                 "overage_price": 0.002,
                     *                 "tiers": [
                     *                   {
                     *                     "up_to": 1000,
                     *                     "unit_price": 0.002,
                     *                     "flat_fee": 0
                     *                   }
                     *                 ],
                     *                 "package_size": null,
                     *                 "percentage": null,
                     *                 "fixed_amount": null,
                     *                 "per_event_minimum": null,
                     *                 "per_event_maximum": null,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "addons": [
                     *         {
                     *           "addon_subscription_id": "addonsub_01jd3k9x",
                     *           "addon_id": "addon_01jd3k9x",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "quantity": 3,
                     *           "status": "active",
                     *           "attached_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "prepaid_units": [
                     *         {
                     *           "metric_id": "metric_01jd3k9x",
                     *           "units": 1000,
                     *           "used": 100,
                     *           "remaining": 900
                     *         }
                     *       ],
                     *       "previous_subscription_id": null,
                     *       "replaced_by": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "metadata": {
                     *         "team": "growth"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    resumeSubscription: {
        parameters: {
            query?: {
                /**
                 * @description With true nothing is done: the answer is what it would do.
                 * @example true
                 */
                preview?: boolean;
            };
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "plan_id": "plan_01jd3k9x",
                     *       "version": 1,
                     *       "version_id": "planv_01jd3k9x",
                     *       "currency": "usd",
                     *       "overrides": {
                     *         "recurring_fee": 19,
                     *         "minimum_amount": 40,
                     *         "maximum_amount": 130,
                     *         "components": [
                     *           {
                     *             "metric_id": "metric_01jd3k9x",
                     *             "pricing_model": "per_unit",
                     *             "overage_price": 0.002,
                     *             "tiers": [
                     *               {
                     *                 "up_to": 1000,
                     *                 "unit_price": 0.002,
                     *                 "flat_fee": 0
                     *               }
                     *             ],
                     *             "package_size": null,
                     *             "percentage": null,
                     *             "fixed_amount": null,
                     *             "per_event_minimum": null,
                     *             "per_event_maximum": null,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130
                     *           }
                     *         ]
                     *       },
                     *       "status": "active",
                     *       "start_date": "2026-11-20",
                     *       "trial_days": null,
                     *       "trial_ends_at": null,
                     *       "end_date": null,
                     *       "auto_renew": true,
                     *       "billing_period": "monthly",
                     *       "charge_timing": "in_arrears",
                     *       "current_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_period_end": "2026-12-20T00:00:00.000Z",
                     *       "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                     *       "days_in_period": 30,
                     *       "cancel_at": null,
                     *       "canceled_at": null,
                     *       "cancel_reason": null,
                     *       "paused_at": null,
                     *       "pending_change": {
                     *         "new_plan_id": "plan_01jd3k9y",
                     *         "effective_date": "2026-11-20",
                     *         "invoicing_behavior": "add_to_next_invoice",
                     *         "usage_behavior": "transfer_to_new_subscription",
                     *         "overrides": {
                     *           "recurring_fee": 19,
                     *           "minimum_amount": 40,
                     *           "maximum_amount": 130,
                     *           "components": [
                     *             {
                     *               "metric_id": "metric_01jd3k9x",
                     *               "pricing_model": "per_unit",
                     *               "overage_price": 0.002,
                     *               "tiers": [
                     *                 {
                     *                   "up_to": 1000,
                     *                   "unit_price": 0.002,
                     *                   "flat_fee": 0
                     *                 }
                     *               ],
                     *               "package_size": null,
                     *               "percentage": null,
                     *               "fixed_amount": null,
                     *               "per_event_minimum": null,
                     *               "per_event_maximum": null,
                     *               "minimum_amount": 40,
                     *               "maximum_amount": 130
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "phases": [
                     *         {
                     *           "start_date": "2027-01-01",
                     *           "plan_id": null,
                     *           "version": null,
                     *           "overrides": {
                     *             "recurring_fee": 19,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130,
                     *             "components": [
                     *               {
                     *                 "metric_id": "metric_01jd3k9x",
                     *                 "pricing_model": "per_unit",
                     *                 "overage_price": 0.002,
                     *                 "tiers": [
                     *                   {
                     *                     "up_to": 1000,
                     *                     "unit_price": 0.002,
                     *                     "flat_fee": 0
                     *                   }
                     *                 ],
                     *                 "package_size": null,
                     *                 "percentage": null,
                     *                 "fixed_amount": null,
                     *                 "per_event_minimum": null,
                     *                 "per_event_maximum": null,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "addons": [
                     *         {
                     *           "addon_subscription_id": "addonsub_01jd3k9x",
                     *           "addon_id": "addon_01jd3k9x",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "quantity": 3,
                     *           "status": "active",
                     *           "attached_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "prepaid_units": [
                     *         {
                     *           "metric_id": "metric_01jd3k9x",
                     *           "units": 1000,
                     *           "used": 100,
                     *           "remaining": 900
                     *         }
                     *       ],
                     *       "previous_subscription_id": null,
                     *       "replaced_by": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "metadata": {
                     *         "team": "growth"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    changePrepaidUnits: {
        parameters: {
            query?: {
                /**
                 * @description With true nothing is done: the answer is what it would do.
                 * @example true
                 */
                preview?: boolean;
            };
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "metric_id": "metric_01jd3k9x",
                 *       "units": 5000
                 *     }
                 */
                "application/json": {
                    /**
                     * @description A metric that the plan bills.
                     * @example metric_01jd3k9x
                     */
                    metric_id: string;
                    /**
                     * @description Units to be paid ahead each period from now on.
                     * @example 5000
                     */
                    units: number;
                    /**
                     * @description Whether what more units cost is billed with the next invoice or now.
                     * @default add_to_next_invoice
                     * @example add_to_next_invoice
                     * @enum {string}
                     */
                    invoicing_behavior?: "add_to_next_invoice" | "invoice_now";
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "plan_id": "plan_01jd3k9x",
                     *       "version": 1,
                     *       "version_id": "planv_01jd3k9x",
                     *       "currency": "usd",
                     *       "overrides": {
                     *         "recurring_fee": 19,
                     *         "minimum_amount": 40,
                     *         "maximum_amount": 130,
                     *         "components": [
                     *           {
                     *             "metric_id": "metric_01jd3k9x",
                     *             "pricing_model": "per_unit",
                     *             "overage_price": 0.002,
                     *             "tiers": [
                     *               {
                     *                 "up_to": 1000,
                     *                 "unit_price": 0.002,
                     *                 "flat_fee": 0
                     *               }
                     *             ],
                     *             "package_size": null,
                     *             "percentage": null,
                     *             "fixed_amount": null,
                     *             "per_event_minimum": null,
                     *             "per_event_maximum": null,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130
                     *           }
                     *         ]
                     *       },
                     *       "status": "active",
                     *       "start_date": "2026-11-20",
                     *       "trial_days": null,
                     *       "trial_ends_at": null,
                     *       "end_date": null,
                     *       "auto_renew": true,
                     *       "billing_period": "monthly",
                     *       "charge_timing": "in_arrears",
                     *       "current_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_period_end": "2026-12-20T00:00:00.000Z",
                     *       "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                     *       "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                     *       "days_in_period": 30,
                     *       "cancel_at": null,
                     *       "canceled_at": null,
                     *       "cancel_reason": null,
                     *       "paused_at": null,
                     *       "pending_change": {
                     *         "new_plan_id": "plan_01jd3k9y",
                     *         "effective_date": "2026-11-20",
                     *         "invoicing_behavior": "add_to_next_invoice",
                     *         "usage_behavior": "transfer_to_new_subscription",
                     *         "overrides": {
                     *           "recurring_fee": 19,
                     *           "minimum_amount": 40,
                     *           "maximum_amount": 130,
                     *           "components": [
                     *             {
                     *               "metric_id": "metric_01jd3k9x",
                     *               "pricing_model": "per_unit",
                     *               "overage_price": 0.002,
                     *               "tiers": [
                     *                 {
                     *                   "up_to": 1000,
                     *                   "unit_price": 0.002,
                     *                   "flat_fee": 0
                     *                 }
                     *               ],
                     *               "package_size": null,
                     *               "percentage": null,
                     *               "fixed_amount": null,
                     *               "per_event_minimum": null,
                     *               "per_event_maximum": null,
                     *               "minimum_amount": 40,
                     *               "maximum_amount": 130
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "phases": [
                     *         {
                     *           "start_date": "2027-01-01",
                     *           "plan_id": null,
                     *           "version": null,
                     *           "overrides": {
                     *             "recurring_fee": 19,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130,
                     *             "components": [
                     *               {
                     *                 "metric_id": "metric_01jd3k9x",
                     *                 "pricing_model": "per_unit",
                     *                 "overage_price": 0.002,
                     *                 "tiers": [
                     *                   {
                     *                     "up_to": 1000,
                     *                     "unit_price": 0.002,
                     *                     "flat_fee": 0
                     *                   }
                     *                 ],
                     *                 "package_size": null,
                     *                 "percentage": null,
                     *                 "fixed_amount": null,
                     *                 "per_event_minimum": null,
                     *                 "per_event_maximum": null,
                     *                 "minimum_amount": 40,
                     *                 "maximum_amount": 130
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "addons": [
                     *         {
                     *           "addon_subscription_id": "addonsub_01jd3k9x",
                     *           "addon_id": "addon_01jd3k9x",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "quantity": 3,
                     *           "status": "active",
                     *           "attached_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "prepaid_units": [
                     *         {
                     *           "metric_id": "metric_01jd3k9x",
                     *           "units": 1000,
                     *           "used": 100,
                     *           "remaining": 900
                     *         }
                     *       ],
                     *       "previous_subscription_id": null,
                     *       "replaced_by": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "metadata": {
                     *         "team": "growth"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveSubscriptionTimeline: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "at": "2026-11-20T10:00:00.000Z",
                     *           "kind": "renewed",
                     *           "status": "done",
                     *           "detail": "Period 2 from 2026-12-20 to 2027-01-19",
                     *           "invoice_id": null,
                     *           "due_at": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["TimelineStep"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveSubscriptionWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "workflow_id": "subscription/acct_01jd3k9x/sub_01jd3k9x",
                     *       "namespace": "default",
                     *       "url": "http://127.0.0.1:8233/namespaces/default/workflows/subscription%2Facct_01jd3k9x%2Fsub_01jd3k9x"
                     *     }
                     */
                    "application/json": components["schemas"]["SubscriptionWorkflow"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    attachAddon: {
        parameters: {
            query?: {
                /**
                 * @description With true nothing is done: the answer is what it would do.
                 * @example true
                 */
                preview?: boolean;
            };
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "addon_id": "addon_01jd3k9x",
                 *       "quantity": 3
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The add-on to attach.
                     * @example addon_01jd3k9x
                     */
                    addon_id: string;
                    /**
                     * @description How many, for an add-on of kind quantity.
                     * @example 3
                     */
                    quantity?: number;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "addon_subscription_id": "addonsub_01jd3k9x",
                     *       "addon_id": "addon_01jd3k9x",
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "quantity": 3,
                     *       "status": "active",
                     *       "attached_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AddonSubscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelAddon: {
        parameters: {
            query?: {
                /**
                 * @description With true nothing is done: the answer is what it would do.
                 * @example true
                 */
                preview?: boolean;
            };
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "addon_id": "addon_01jd3k9x"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The add-on to cancel.
                     * @example addon_01jd3k9x
                     */
                    addon_id: string;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "addon_subscription_id": "addonsub_01jd3k9x",
                     *       "addon_id": "addon_01jd3k9x",
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "quantity": 3,
                     *       "status": "active",
                     *       "attached_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AddonSubscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDiscounts: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "discount_id": "disc_01jd3k9x",
                     *           "coupon_id": "coupon_01jd3k9x",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "status": "active",
                     *           "periods_used": 1,
                     *           "periods_remaining": 2,
                     *           "created_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["Discount"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    createDiscount: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "LAUNCH-15"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The coupon; or send code.
                     * @example coupon_01jd3k9x
                     */
                    coupon_id?: string;
                    /**
                     * @description The code of an active coupon, in any case.
                     * @example LAUNCH-15
                     */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "discount_id": "disc_01jd3k9x",
                     *       "coupon_id": "coupon_01jd3k9x",
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "status": "active",
                     *       "periods_used": 1,
                     *       "periods_remaining": 2,
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Discount"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteDiscount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id: string;
                /**
                 * @description Id of a discount.
                 * @example disc_01jd3k9x
                 */
                discount_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded, no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listParityDifferences: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "invoice_id": "inv_01jd3k9x",
                     *           "invoice_number": "INV-000001",
                     *           "line_id": "line_01jd3k9x",
                     *           "field": "amount",
                     *           "billed": 12.5,
                     *           "recomputed": 12,
                     *           "found_at": "2026-11-20T03:00:04.120Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["ParityDifference"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id or number of the invoice.
                 * @example inv_01jd3k9x
                 */
                invoice_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invoice_id": "inv_01jd3k9x",
                     *       "invoice_number": "INV-000001",
                     *       "customer_id": "acme",
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "kind": "period",
                     *       "status": "open",
                     *       "currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "issue_date": "2026-11-20",
                     *       "due_date": "2026-11-20",
                     *       "period_start": "2026-11-20T00:00:00.000Z",
                     *       "period_end": "2026-12-20T00:00:00.000Z",
                     *       "lines": [
                     *         {
                     *           "line_id": "line_01jd3k9x",
                     *           "customer_id": "acme",
                     *           "type": "usage",
                     *           "description": "API calls",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "plan_id": "plan_01jd3k9x",
                     *           "version": 1,
                     *           "overridden": false,
                     *           "metric_id": null,
                     *           "addon_id": null,
                     *           "credit_id": null,
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "quantity": 1,
                     *           "billable_quantity": 50,
                     *           "unit_price": 29,
                     *           "amount": 29,
                     *           "tiers": [
                     *             {
                     *               "up_to": 1000,
                     *               "quantity": 50,
                     *               "unit_price": 0.002,
                     *               "flat_fee": 0,
                     *               "amount": 0.1
                     *             }
                     *           ],
                     *           "events_count": null,
                     *           "discount_amount": 0
                     *         }
                     *       ],
                     *       "sections": [
                     *         {
                     *           "customer_id": "acme-berlin",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "kind": "period",
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "subtotal": 29
                     *         }
                     *       ],
                     *       "charges_subtotal": 29,
                     *       "subtotal": 29,
                     *       "discount_amount": 0,
                     *       "tax_rate": 0,
                     *       "tax_amount": 0,
                     *       "total": 29,
                     *       "credits_applied": 0,
                     *       "amount_paid": 0,
                     *       "amount_refunded": 0,
                     *       "amount_due": 29,
                     *       "past_due": false,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "paid_at": null,
                     *       "voided_at": null,
                     *       "payments": [
                     *         {
                     *           "payment_id": "pay_01jd3k9x",
                     *           "method": "manual",
                     *           "amount": 29,
                     *           "reference": "transfer 4711",
                     *           "paid_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "billing_address": {
                     *         "line1": "Main Street 1",
                     *         "city": "Berlin",
                     *         "state": "BE",
                     *         "postal_code": "10115",
                     *         "country": "DE"
                     *       },
                     *       "customer_name": "Acme Inc.",
                     *       "test_clock_id": null
                     *     }
                     */
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveInvoicePdf: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id or number of the invoice.
                 * @example inv_01jd3k9x
                 */
                invoice_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listInvoices: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
                /**
                 * @description Only invoices of this customer.
                 * @example acme
                 */
                customer_id?: string;
                /**
                 * @description Only invoices of this subscription.
                 * @example sub_01jd3k9x
                 */
                subscription_id?: string;
                /**
                 * @description Only invoices in this state.
                 * @example open
                 */
                status?: "draft" | "open" | "paid" | "void" | "uncollectible";
                /**
                 * @description The number of the invoice.
                 * @example INV-000042
                 */
                number?: string;
                /**
                 * @description Only invoices of this kind.
                 * @example period
                 */
                kind?: "opening" | "period" | "closing" | "proration" | "manual";
                /**
                 * @description First issue date, inclusive.
                 * @example 2026-11-01
                 */
                issued_from?: string;
                /**
                 * @description Last issue date, inclusive.
                 * @example 2026-11-30
                 */
                issued_to?: string;
                /**
                 * @description Due earlier than on this date.
                 * @example 2026-12-01
                 */
                due_before?: string;
                /**
                 * @description At least so much is still to be paid, in whatever currency.
                 * @example 100
                 */
                min_due?: number;
                /**
                 * @description Only invoices that are past due; with false only those that are not.
                 * @example true
                 */
                past_due?: boolean;
                /**
                 * @description The beginning of the invoice's number, or of words of its customer's id, name and email.
                 * @example INV-0042
                 */
                search?: string;
                /** @description A field, lowest first; with - before it highest first. Without, newest first. */
                sort?: "created_at" | "-created_at" | "issue_date" | "-issue_date" | "due_date" | "-due_date" | "total" | "-total" | "amount_due" | "-amount_due" | "invoice_number" | "-invoice_number";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "invoice_id": "inv_01jd3k9x",
                     *           "invoice_number": "INV-000001",
                     *           "customer_id": "acme",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "kind": "period",
                     *           "status": "open",
                     *           "currency": {
                     *             "code": "USD",
                     *             "name": "US Dollar",
                     *             "symbol": "$"
                     *           },
                     *           "issue_date": "2026-11-20",
                     *           "due_date": "2026-11-20",
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "lines": [
                     *             {
                     *               "line_id": "line_01jd3k9x",
                     *               "customer_id": "acme",
                     *               "type": "usage",
                     *               "description": "API calls",
                     *               "subscription_id": "sub_01jd3k9x",
                     *               "plan_id": "plan_01jd3k9x",
                     *               "version": 1,
                     *               "overridden": false,
                     *               "metric_id": null,
                     *               "addon_id": null,
                     *               "credit_id": null,
                     *               "period_start": "2026-11-20T00:00:00.000Z",
                     *               "period_end": "2026-12-20T00:00:00.000Z",
                     *               "quantity": 1,
                     *               "billable_quantity": 50,
                     *               "unit_price": 29,
                     *               "amount": 29,
                     *               "tiers": [
                     *                 {
                     *                   "up_to": 1000,
                     *                   "quantity": 50,
                     *                   "unit_price": 0.002,
                     *                   "flat_fee": 0,
                     *                   "amount": 0.1
                     *                 }
                     *               ],
                     *               "events_count": null,
                     *               "discount_amount": 0
                     *             }
                     *           ],
                     *           "sections": [
                     *             {
                     *               "customer_id": "acme-berlin",
                     *               "subscription_id": "sub_01jd3k9x",
                     *               "kind": "period",
                     *               "period_start": "2026-11-20T00:00:00.000Z",
                     *               "period_end": "2026-12-20T00:00:00.000Z",
                     *               "subtotal": 29
                     *             }
                     *           ],
                     *           "charges_subtotal": 29,
                     *           "subtotal": 29,
                     *           "discount_amount": 0,
                     *           "tax_rate": 0,
                     *           "tax_amount": 0,
                     *           "total": 29,
                     *           "credits_applied": 0,
                     *           "amount_paid": 0,
                     *           "amount_refunded": 0,
                     *           "amount_due": 29,
                     *           "past_due": false,
                     *           "created_at": "2026-11-20T10:00:00.000Z",
                     *           "paid_at": null,
                     *           "voided_at": null,
                     *           "payments": [
                     *             {
                     *               "payment_id": "pay_01jd3k9x",
                     *               "method": "manual",
                     *               "amount": 29,
                     *               "reference": "transfer 4711",
                     *               "paid_at": "2026-11-20T10:00:00.000Z"
                     *             }
                     *           ],
                     *           "billing_address": {
                     *             "line1": "Main Street 1",
                     *             "city": "Berlin",
                     *             "state": "BE",
                     *             "postal_code": "10115",
                     *             "country": "DE"
                     *           },
                     *           "customer_name": "Acme Inc.",
                     *           "test_clock_id": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["Invoice"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    explainInvoiceLine: {
        parameters: {
            query?: {
                /** @description The next_cursor of the page before. */
                cursor?: string;
                /**
                 * @description Events of a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id or number of the invoice.
                 * @example inv_01jd3k9x
                 */
                invoice_id: string;
                /**
                 * @description Id of the line.
                 * @example line_01jd3k9x
                 */
                line_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invoice_id": "inv_01jd3k9x",
                     *       "invoice_number": "INV-000001",
                     *       "line_id": "line_01jd3k9x",
                     *       "type": "usage",
                     *       "description": "API calls",
                     *       "currency": "usd",
                     *       "quantity": 1,
                     *       "billable_quantity": 50,
                     *       "events_count": 120,
                     *       "metric": {
                     *         "metric_id": "metric_01jd3k9x",
                     *         "metric_name": "API calls",
                     *         "aggregation_type": "count",
                     *         "event_name": "api_call",
                     *         "property_name": "bytes",
                     *         "numeric_filters": [
                     *           {
                     *             "property_name": "bytes",
                     *             "operator": "gte",
                     *             "comparison_value": 1
                     *           }
                     *         ],
                     *         "categorical_filters": [
                     *           {
                     *             "property_name": "bytes",
                     *             "operator": "gte",
                     *             "comparison_value": [
                     *               "eu",
                     *               "us"
                     *             ]
                     *           }
                     *         ],
                     *         "time_filter": {
                     *           "days_of_week": [
                     *             1,
                     *             2,
                     *             3,
                     *             4,
                     *             5
                     *           ],
                     *           "hours": {
                     *             "from": 9,
                     *             "to": 17
                     *           }
                     *         },
                     *         "is_cost_metric": false,
                     *         "unit_cost": 1,
                     *         "status": "active",
                     *         "created_at": "2026-11-20T10:00:00.000Z"
                     *       },
                     *       "window": {
                     *         "start": "2026-11-20T00:00:00.000Z",
                     *         "end": "2026-12-20T00:00:00.000Z",
                     *         "time_zone": "UTC",
                     *         "position_above": null,
                     *         "position_up_to": null
                     *       },
                     *       "component": {
                     *         "component_id": "comp_01jd3k9x",
                     *         "metric_id": "metric_01jd3k9x",
                     *         "free_tier": 1000,
                     *         "pricing_model": "per_unit",
                     *         "overage_price": 0.002,
                     *         "tiers": [
                     *           {
                     *             "up_to": 1000,
                     *             "unit_price": 0.002,
                     *             "flat_fee": 0
                     *           }
                     *         ],
                     *         "package_size": null,
                     *         "percentage": null,
                     *         "fixed_amount": null,
                     *         "per_event_minimum": null,
                     *         "per_event_maximum": null,
                     *         "group_by": null,
                     *         "prices": null,
                     *         "unmatched": null,
                     *         "rounding": "no_rounding",
                     *         "prepaid_units": 0,
                     *         "minimum_amount": 40,
                     *         "maximum_amount": 130
                     *       },
                     *       "overrides": {
                     *         "recurring_fee": 19,
                     *         "minimum_amount": 40,
                     *         "maximum_amount": 130,
                     *         "components": [
                     *           {
                     *             "metric_id": "metric_01jd3k9x",
                     *             "pricing_model": "per_unit",
                     *             "overage_price": 0.002,
                     *             "tiers": [
                     *               {
                     *                 "up_to": 1000,
                     *                 "unit_price": 0.002,
                     *                 "flat_fee": 0
                     *               }
                     *             ],
                     *             "package_size": null,
                     *             "percentage": null,
                     *             "fixed_amount": null,
                     *             "per_event_minimum": null,
                     *             "per_event_maximum": null,
                     *             "minimum_amount": 40,
                     *             "maximum_amount": 130
                     *           }
                     *         ]
                     *       },
                     *       "prepaid_units": null,
                     *       "limit": {
                     *         "minimum_amount": 40,
                     *         "maximum_amount": 130,
                     *         "charged": 33.5,
                     *         "trued_up": 0
                     *       },
                     *       "discount": {
                     *         "discount_id": "disc_01jd3k9x",
                     *         "percent_off": 15,
                     *         "amount_off": null,
                     *         "amount": 130
                     *       },
                     *       "steps": [
                     *         {
                     *           "step": "free_tier",
                     *           "text": "120 - 100 free = 20",
                     *           "value": 20
                     *         }
                     *       ],
                     *       "total": 29,
                     *       "events": {
                     *         "count": 120,
                     *         "results": [
                     *           {
                     *             "idempotency_id": "e-1",
                     *             "event_name": "api_call",
                     *             "customer_id": "acme",
                     *             "time_created": "2026-11-20T10:00:00.000Z",
                     *             "received_at": "2026-11-20T10:00:00.000Z",
                     *             "properties": {
                     *               "region": "eu",
                     *               "bytes": 1024
                     *             }
                     *           }
                     *         ],
                     *         "next_cursor": null,
                     *         "next": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["LineExplanation"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    markInvoicePaid: {
        parameters: {
            query?: {
                /**
                 * @description With true nothing is done: the answer is what it would do.
                 * @example true
                 */
                preview?: boolean;
            };
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id or number of the invoice.
                 * @example inv_01jd3k9x
                 */
                invoice_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reference": "transfer 4711"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description When the money came; without it now.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    paid_at?: string;
                    /**
                     * @description Your own note on the payment.
                     * @default null
                     * @example transfer 4711
                     */
                    reference?: string | null;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invoice_id": "inv_01jd3k9x",
                     *       "invoice_number": "INV-000001",
                     *       "customer_id": "acme",
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "kind": "period",
                     *       "status": "open",
                     *       "currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "issue_date": "2026-11-20",
                     *       "due_date": "2026-11-20",
                     *       "period_start": "2026-11-20T00:00:00.000Z",
                     *       "period_end": "2026-12-20T00:00:00.000Z",
                     *       "lines": [
                     *         {
                     *           "line_id": "line_01jd3k9x",
                     *           "customer_id": "acme",
                     *           "type": "usage",
                     *           "description": "API calls",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "plan_id": "plan_01jd3k9x",
                     *           "version": 1,
                     *           "overridden": false,
                     *           "metric_id": null,
                     *           "addon_id": null,
                     *           "credit_id": null,
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "quantity": 1,
                     *           "billable_quantity": 50,
                     *           "unit_price": 29,
                     *           "amount": 29,
                     *           "tiers": [
                     *             {
                     *               "up_to": 1000,
                     *               "quantity": 50,
                     *               "unit_price": 0.002,
                     *               "flat_fee": 0,
                     *               "amount": 0.1
                     *             }
                     *           ],
                     *           "events_count": null,
                     *           "discount_amount": 0
                     *         }
                     *       ],
                     *       "sections": [
                     *         {
                     *           "customer_id": "acme-berlin",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "kind": "period",
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "subtotal": 29
                     *         }
                     *       ],
                     *       "charges_subtotal": 29,
                     *       "subtotal": 29,
                     *       "discount_amount": 0,
                     *       "tax_rate": 0,
                     *       "tax_amount": 0,
                     *       "total": 29,
                     *       "credits_applied": 0,
                     *       "amount_paid": 0,
                     *       "amount_refunded": 0,
                     *       "amount_due": 29,
                     *       "past_due": false,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "paid_at": null,
                     *       "voided_at": null,
                     *       "payments": [
                     *         {
                     *           "payment_id": "pay_01jd3k9x",
                     *           "method": "manual",
                     *           "amount": 29,
                     *           "reference": "transfer 4711",
                     *           "paid_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "billing_address": {
                     *         "line1": "Main Street 1",
                     *         "city": "Berlin",
                     *         "state": "BE",
                     *         "postal_code": "10115",
                     *         "country": "DE"
                     *       },
                     *       "customer_name": "Acme Inc.",
                     *       "test_clock_id": null
                     *     }
                     */
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    payInvoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id or number of the invoice.
                 * @example inv_01jd3k9x
                 */
                invoice_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invoice_id": "inv_01jd3k9x",
                     *       "invoice_number": "INV-000001",
                     *       "customer_id": "acme",
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "kind": "period",
                     *       "status": "open",
                     *       "currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "issue_date": "2026-11-20",
                     *       "due_date": "2026-11-20",
                     *       "period_start": "2026-11-20T00:00:00.000Z",
                     *       "period_end": "2026-12-20T00:00:00.000Z",
                     *       "lines": [
                     *         {
                     *           "line_id": "line_01jd3k9x",
                     *           "customer_id": "acme",
                     *           "type": "usage",
                     *           "description": "API calls",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "plan_id": "plan_01jd3k9x",
                     *           "version": 1,
                     *           "overridden": false,
                     *           "metric_id": null,
                     *           "addon_id": null,
                     *           "credit_id": null,
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "quantity": 1,
                     *           "billable_quantity": 50,
                     *           "unit_price": 29,
                     *           "amount": 29,
                     *           "tiers": [
                     *             {
                     *               "up_to": 1000,
                     *               "quantity": 50,
                     *               "unit_price": 0.002,
                     *               "flat_fee": 0,
                     *               "amount": 0.1
                     *             }
                     *           ],
                     *           "events_count": null,
                     *           "discount_amount": 0
                     *         }
                     *       ],
                     *       "sections": [
                     *         {
                     *           "customer_id": "acme-berlin",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "kind": "period",
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "subtotal": 29
                     *         }
                     *       ],
                     *       "charges_subtotal": 29,
                     *       "subtotal": 29,
                     *       "discount_amount": 0,
                     *       "tax_rate": 0,
                     *       "tax_amount": 0,
                     *       "total": 29,
                     *       "credits_applied": 0,
                     *       "amount_paid": 0,
                     *       "amount_refunded": 0,
                     *       "amount_due": 29,
                     *       "past_due": false,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "paid_at": null,
                     *       "voided_at": null,
                     *       "payments": [
                     *         {
                     *           "payment_id": "pay_01jd3k9x",
                     *           "method": "manual",
                     *           "amount": 29,
                     *           "reference": "transfer 4711",
                     *           "paid_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "billing_address": {
                     *         "line1": "Main Street 1",
                     *         "city": "Berlin",
                     *         "state": "BE",
                     *         "postal_code": "10115",
                     *         "country": "DE"
                     *       },
                     *       "customer_name": "Acme Inc.",
                     *       "test_clock_id": null
                     *     }
                     */
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    voidInvoice: {
        parameters: {
            query?: {
                /**
                 * @description With true nothing is done: the answer is what it would do.
                 * @example true
                 */
                preview?: boolean;
            };
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id or number of the invoice.
                 * @example inv_01jd3k9x
                 */
                invoice_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invoice_id": "inv_01jd3k9x",
                     *       "invoice_number": "INV-000001",
                     *       "customer_id": "acme",
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "kind": "period",
                     *       "status": "open",
                     *       "currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "issue_date": "2026-11-20",
                     *       "due_date": "2026-11-20",
                     *       "period_start": "2026-11-20T00:00:00.000Z",
                     *       "period_end": "2026-12-20T00:00:00.000Z",
                     *       "lines": [
                     *         {
                     *           "line_id": "line_01jd3k9x",
                     *           "customer_id": "acme",
                     *           "type": "usage",
                     *           "description": "API calls",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "plan_id": "plan_01jd3k9x",
                     *           "version": 1,
                     *           "overridden": false,
                     *           "metric_id": null,
                     *           "addon_id": null,
                     *           "credit_id": null,
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "quantity": 1,
                     *           "billable_quantity": 50,
                     *           "unit_price": 29,
                     *           "amount": 29,
                     *           "tiers": [
                     *             {
                     *               "up_to": 1000,
                     *               "quantity": 50,
                     *               "unit_price": 0.002,
                     *               "flat_fee": 0,
                     *               "amount": 0.1
                     *             }
                     *           ],
                     *           "events_count": null,
                     *           "discount_amount": 0
                     *         }
                     *       ],
                     *       "sections": [
                     *         {
                     *           "customer_id": "acme-berlin",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "kind": "period",
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "subtotal": 29
                     *         }
                     *       ],
                     *       "charges_subtotal": 29,
                     *       "subtotal": 29,
                     *       "discount_amount": 0,
                     *       "tax_rate": 0,
                     *       "tax_amount": 0,
                     *       "total": 29,
                     *       "credits_applied": 0,
                     *       "amount_paid": 0,
                     *       "amount_refunded": 0,
                     *       "amount_due": 29,
                     *       "past_due": false,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "paid_at": null,
                     *       "voided_at": null,
                     *       "payments": [
                     *         {
                     *           "payment_id": "pay_01jd3k9x",
                     *           "method": "manual",
                     *           "amount": 29,
                     *           "reference": "transfer 4711",
                     *           "paid_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "billing_address": {
                     *         "line1": "Main Street 1",
                     *         "city": "Berlin",
                     *         "state": "BE",
                     *         "postal_code": "10115",
                     *         "country": "DE"
                     *       },
                     *       "customer_name": "Acme Inc.",
                     *       "test_clock_id": null
                     *     }
                     */
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    markInvoiceUncollectible: {
        parameters: {
            query?: {
                /**
                 * @description With true nothing is done: the answer is what it would do.
                 * @example true
                 */
                preview?: boolean;
            };
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id or number of the invoice.
                 * @example inv_01jd3k9x
                 */
                invoice_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invoice_id": "inv_01jd3k9x",
                     *       "invoice_number": "INV-000001",
                     *       "customer_id": "acme",
                     *       "subscription_id": "sub_01jd3k9x",
                     *       "kind": "period",
                     *       "status": "open",
                     *       "currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "issue_date": "2026-11-20",
                     *       "due_date": "2026-11-20",
                     *       "period_start": "2026-11-20T00:00:00.000Z",
                     *       "period_end": "2026-12-20T00:00:00.000Z",
                     *       "lines": [
                     *         {
                     *           "line_id": "line_01jd3k9x",
                     *           "customer_id": "acme",
                     *           "type": "usage",
                     *           "description": "API calls",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "plan_id": "plan_01jd3k9x",
                     *           "version": 1,
                     *           "overridden": false,
                     *           "metric_id": null,
                     *           "addon_id": null,
                     *           "credit_id": null,
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "quantity": 1,
                     *           "billable_quantity": 50,
                     *           "unit_price": 29,
                     *           "amount": 29,
                     *           "tiers": [
                     *             {
                     *               "up_to": 1000,
                     *               "quantity": 50,
                     *               "unit_price": 0.002,
                     *               "flat_fee": 0,
                     *               "amount": 0.1
                     *             }
                     *           ],
                     *           "events_count": null,
                     *           "discount_amount": 0
                     *         }
                     *       ],
                     *       "sections": [
                     *         {
                     *           "customer_id": "acme-berlin",
                     *           "subscription_id": "sub_01jd3k9x",
                     *           "kind": "period",
                     *           "period_start": "2026-11-20T00:00:00.000Z",
                     *           "period_end": "2026-12-20T00:00:00.000Z",
                     *           "subtotal": 29
                     *         }
                     *       ],
                     *       "charges_subtotal": 29,
                     *       "subtotal": 29,
                     *       "discount_amount": 0,
                     *       "tax_rate": 0,
                     *       "tax_amount": 0,
                     *       "total": 29,
                     *       "credits_applied": 0,
                     *       "amount_paid": 0,
                     *       "amount_refunded": 0,
                     *       "amount_due": 29,
                     *       "past_due": false,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "paid_at": null,
                     *       "voided_at": null,
                     *       "payments": [
                     *         {
                     *           "payment_id": "pay_01jd3k9x",
                     *           "method": "manual",
                     *           "amount": 29,
                     *           "reference": "transfer 4711",
                     *           "paid_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "billing_address": {
                     *         "line1": "Main Street 1",
                     *         "city": "Berlin",
                     *         "state": "BE",
                     *         "postal_code": "10115",
                     *         "country": "DE"
                     *       },
                     *       "customer_name": "Acme Inc.",
                     *       "test_clock_id": null
                     *     }
                     */
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listCredits: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
                /**
                 * @description Only credits of this customer.
                 * @example acme
                 */
                customer_id?: string;
                /**
                 * @description Only credits in this state.
                 * @example active
                 */
                status?: "active" | "consumed" | "expired" | "voided";
                /** @description A field, lowest first; with - before it highest first. Without, newest first. */
                sort?: "created_at" | "-created_at" | "expires_at" | "-expires_at";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "credit_id": "credit_01jd3k9x",
                     *           "customer_id": "acme",
                     *           "amount": 10,
                     *           "amount_remaining": 10,
                     *           "currency": {
                     *             "code": "USD",
                     *             "name": "US Dollar",
                     *             "symbol": "$"
                     *           },
                     *           "reason": "service_credit",
                     *           "description": null,
                     *           "status": "active",
                     *           "expires_at": null,
                     *           "voided_at": null,
                     *           "created_at": "2026-11-20T10:00:00.000Z",
                     *           "applications": [
                     *             {
                     *               "invoice_id": "inv_01jd3k9x",
                     *               "amount": 10,
                     *               "applied_at": "2026-11-20T10:00:00.000Z"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["Credit"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    createCredit: {
        parameters: {
            query?: {
                /**
                 * @description With true nothing is done: the answer is what it would do.
                 * @example true
                 */
                preview?: boolean;
            };
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "customer_id": "acme",
                 *       "amount": 10,
                 *       "reason": "goodwill_credit"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Whose invoices the credit reduces.
                     * @example acme
                     */
                    customer_id: string;
                    /**
                     * @description Amount in major units of the customer's currency, above 0.
                     * @example 10
                     */
                    amount: number;
                    /**
                     * @description What kind of credit it is.
                     * @default service_credit
                     * @example goodwill_credit
                     * @enum {string}
                     */
                    reason?: "service_credit" | "promotional_credit" | "goodwill_credit" | "overpayment_credit";
                    /**
                     * @description Why it was given, for people; null: nothing.
                     * @default null
                     * @example For the outage of Friday
                     */
                    description?: string | null;
                    /**
                     * Format: date
                     * @description Last day, in the customer's time zone, on which the credit is applied; null: it never expires.
                     * @default null
                     * @example null
                     */
                    expires_at?: string | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "credit_id": "credit_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "amount": 10,
                     *       "amount_remaining": 10,
                     *       "currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "reason": "service_credit",
                     *       "description": null,
                     *       "status": "active",
                     *       "expires_at": null,
                     *       "voided_at": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "applications": [
                     *         {
                     *           "invoice_id": "inv_01jd3k9x",
                     *           "amount": 10,
                     *           "applied_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Credit"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveCredit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a credit.
                 * @example credit_01jd3k9x
                 */
                credit_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "credit_id": "credit_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "amount": 10,
                     *       "amount_remaining": 10,
                     *       "currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "reason": "service_credit",
                     *       "description": null,
                     *       "status": "active",
                     *       "expires_at": null,
                     *       "voided_at": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "applications": [
                     *         {
                     *           "invoice_id": "inv_01jd3k9x",
                     *           "amount": 10,
                     *           "applied_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Credit"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateCredit: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a credit.
                 * @example credit_01jd3k9x
                 */
                credit_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "expires_at": null
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date
                     * @description Last day, in the customer's time zone, on which the credit is applied; null: it never expires.
                     * @example null
                     */
                    expires_at?: string | null;
                    /**
                     * @description Why it was given, for people; null: nothing.
                     * @example For the outage of Friday
                     */
                    description?: string | null;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "credit_id": "credit_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "amount": 10,
                     *       "amount_remaining": 10,
                     *       "currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "reason": "service_credit",
                     *       "description": null,
                     *       "status": "active",
                     *       "expires_at": null,
                     *       "voided_at": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "applications": [
                     *         {
                     *           "invoice_id": "inv_01jd3k9x",
                     *           "amount": 10,
                     *           "applied_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Credit"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    voidCredit: {
        parameters: {
            query?: {
                /**
                 * @description With true nothing is done: the answer is what it would do.
                 * @example true
                 */
                preview?: boolean;
            };
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a credit.
                 * @example credit_01jd3k9x
                 */
                credit_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "credit_id": "credit_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "amount": 10,
                     *       "amount_remaining": 10,
                     *       "currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "reason": "service_credit",
                     *       "description": null,
                     *       "status": "active",
                     *       "expires_at": null,
                     *       "voided_at": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "applications": [
                     *         {
                     *           "invoice_id": "inv_01jd3k9x",
                     *           "amount": 10,
                     *           "applied_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Credit"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRefunds: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
                /**
                 * @description Only refunds of this customer.
                 * @example acme
                 */
                customer_id?: string;
                /**
                 * @description Only refunds of this invoice, named by its id.
                 * @example inv_01jd3k9x
                 */
                invoice_id?: string;
                /**
                 * @description Only refunds in this state.
                 * @example pending
                 */
                status?: "pending" | "succeeded" | "failed" | "canceled";
                /** @description A field, lowest first; with - before it highest first. Without, newest first. */
                sort?: "created_at" | "-created_at" | "amount" | "-amount";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "refund_id": "refund_01jd3k9x",
                     *           "invoice_id": "inv_01jd3k9x",
                     *           "customer_id": "acme",
                     *           "amount": 5,
                     *           "currency": {
                     *             "code": "USD",
                     *             "name": "US Dollar",
                     *             "symbol": "$"
                     *           },
                     *           "method": "bank_transfer",
                     *           "reason": "duplicate",
                     *           "description": null,
                     *           "status": "succeeded",
                     *           "credit_id": null,
                     *           "processor_refund_id": null,
                     *           "expected_by": null,
                     *           "created_at": "2026-11-20T10:00:00.000Z",
                     *           "completed_at": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["Refund"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    createRefund: {
        parameters: {
            query?: {
                /**
                 * @description With true nothing is done: the answer is what it would do.
                 * @example true
                 */
                preview?: boolean;
            };
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "invoice_id": "INV-000001",
                 *       "amount": 5,
                 *       "reason": "duplicate"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Id or number of the invoice that was paid.
                     * @example INV-000001
                     */
                    invoice_id: string;
                    /**
                     * @description Amount in major units; without it all that was paid and not given back.
                     * @example 5
                     */
                    amount?: number;
                    /**
                     * @description Why money goes back, in your words.
                     * @default null
                     * @example duplicate
                     */
                    reason?: string | null;
                    /**
                     * @description How the money goes back; without it the way that it came.
                     * @example bank_transfer
                     * @enum {string}
                     */
                    method?: "original_payment" | "bank_transfer" | "store_credit";
                    /**
                     * @description More about it, for people.
                     * @default null
                     * @example null
                     */
                    description?: string | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "refund_id": "refund_01jd3k9x",
                     *       "invoice_id": "inv_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "amount": 5,
                     *       "currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "method": "bank_transfer",
                     *       "reason": "duplicate",
                     *       "description": null,
                     *       "status": "succeeded",
                     *       "credit_id": null,
                     *       "processor_refund_id": null,
                     *       "expected_by": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "completed_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Refund"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveRefund: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a refund.
                 * @example refund_01jd3k9x
                 */
                refund_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "refund_id": "refund_01jd3k9x",
                     *       "invoice_id": "inv_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "amount": 5,
                     *       "currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "method": "bank_transfer",
                     *       "reason": "duplicate",
                     *       "description": null,
                     *       "status": "succeeded",
                     *       "credit_id": null,
                     *       "processor_refund_id": null,
                     *       "expected_by": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "completed_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Refund"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    completeRefund: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a refund.
                 * @example refund_01jd3k9x
                 */
                refund_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "refund_id": "refund_01jd3k9x",
                     *       "invoice_id": "inv_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "amount": 5,
                     *       "currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "method": "bank_transfer",
                     *       "reason": "duplicate",
                     *       "description": null,
                     *       "status": "succeeded",
                     *       "credit_id": null,
                     *       "processor_refund_id": null,
                     *       "expected_by": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "completed_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Refund"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelRefund: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a refund.
                 * @example refund_01jd3k9x
                 */
                refund_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "refund_id": "refund_01jd3k9x",
                     *       "invoice_id": "inv_01jd3k9x",
                     *       "customer_id": "acme",
                     *       "amount": 5,
                     *       "currency": {
                     *         "code": "USD",
                     *         "name": "US Dollar",
                     *         "symbol": "$"
                     *       },
                     *       "method": "bank_transfer",
                     *       "reason": "duplicate",
                     *       "description": null,
                     *       "status": "succeeded",
                     *       "credit_id": null,
                     *       "processor_refund_id": null,
                     *       "expected_by": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "completed_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Refund"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPaymentProviders: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "provider": "stripe",
                     *           "connected": true,
                     *           "account_id": "acct_1032D82eZvKYlo2C",
                     *           "connected_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["PaymentProvider"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    connectPaymentProvider: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The payment processor.
                 * @example stripe
                 */
                provider: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "redirect_url": "https://app.acme.example/settings"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uri
                     * @description Where the processor's page sends the person back to, through us.
                     * @example https://app.acme.example/settings
                     */
                    redirect_url: string;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "authorization_url": "https://connect.stripe.com/oauth/authorize"
                     *     }
                     */
                    "application/json": components["schemas"]["PaymentProviderAuthorization"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    disconnectPaymentProvider: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The payment processor.
                 * @example stripe
                 */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "provider": "stripe",
                     *       "connected": true,
                     *       "account_id": "acct_1032D82eZvKYlo2C",
                     *       "connected_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["PaymentProvider"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTestClocks: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "test_clock_id": "clock_01jd3k9x",
                     *           "name": null,
                     *           "frozen_time": "2026-11-20T10:00:00.000Z",
                     *           "status": "ready"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["TestClock"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    createTestClock: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "frozen_time": "2026-11-20T10:00:00.000Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description The time that the clock begins with.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    frozen_time: string;
                    /**
                     * @description What the clock is for; null: nothing.
                     * @default null
                     * @example null
                     */
                    name?: string | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "test_clock_id": "clock_01jd3k9x",
                     *       "name": null,
                     *       "frozen_time": "2026-11-20T10:00:00.000Z",
                     *       "status": "ready"
                     *     }
                     */
                    "application/json": components["schemas"]["TestClock"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveTestClock: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the test clock.
                 * @example clock_01jd3k9x
                 */
                test_clock_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "test_clock_id": "clock_01jd3k9x",
                     *       "name": null,
                     *       "frozen_time": "2026-11-20T10:00:00.000Z",
                     *       "status": "ready"
                     *     }
                     */
                    "application/json": components["schemas"]["TestClock"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteTestClock: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the test clock.
                 * @example clock_01jd3k9x
                 */
                test_clock_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded, no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    advanceTestClock: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the test clock.
                 * @example clock_01jd3k9x
                 */
                test_clock_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "frozen_time": "2026-12-20T10:00:00.000Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description The time to go on to, later than the clock's.
                     * @example 2026-12-20T10:00:00.000Z
                     */
                    frozen_time: string;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "test_clock_id": "clock_01jd3k9x",
                     *       "name": null,
                     *       "frozen_time": "2026-11-20T10:00:00.000Z",
                     *       "status": "ready"
                     *     }
                     */
                    "application/json": components["schemas"]["TestClock"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "webhook_endpoint_id": "wh_01jd3k9x",
                     *           "name": "Billing",
                     *           "webhook_url": "https://app.acme.example/webhooks",
                     *           "triggers_in": [
                     *             "invoice.created",
                     *             "subscription.created"
                     *           ],
                     *           "status": "active",
                     *           "created_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["WebhookEndpoint"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "webhook_url": "https://app.acme.example/webhooks",
                 *       "triggers_in": [
                 *         "invoice.created"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What the endpoint is for; null: nothing.
                     * @default null
                     * @example Billing
                     */
                    name?: string | null;
                    /**
                     * Format: uri
                     * @description Where events are sent.
                     * @example https://app.acme.example/webhooks
                     */
                    webhook_url: string;
                    /**
                     * @description Types of events that are sent; by default all.
                     * @example [
                     *       "invoice.created",
                     *       "subscription.created"
                     *     ]
                     */
                    triggers_in?: ("subscription.created" | "subscription.activated" | "subscription.trial_will_end" | "subscription.trial_ended" | "subscription.renewed" | "subscription.plan_changed" | "subscription.paused" | "subscription.resumed" | "subscription.canceled" | "subscription.failed" | "invoice.created" | "invoice.paid" | "invoice.voided" | "invoice.past_due" | "refund.created" | "refund.succeeded" | "credit.created")[];
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhook_endpoint_id": "wh_01jd3k9x",
                     *       "name": "Billing",
                     *       "webhook_url": "https://app.acme.example/webhooks",
                     *       "triggers_in": [
                     *         "invoice.created",
                     *         "subscription.created"
                     *       ],
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "webhook_secret": "whsec_..."
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a webhook endpoint.
                 * @example wh_01jd3k9x
                 */
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhook_endpoint_id": "wh_01jd3k9x",
                     *       "name": "Billing",
                     *       "webhook_url": "https://app.acme.example/webhooks",
                     *       "triggers_in": [
                     *         "invoice.created",
                     *         "subscription.created"
                     *       ],
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a webhook endpoint.
                 * @example wh_01jd3k9x
                 */
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded, no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a webhook endpoint.
                 * @example wh_01jd3k9x
                 */
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "active"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What the endpoint is for; null: nothing.
                     * @example Billing
                     */
                    name?: string | null;
                    /**
                     * Format: uri
                     * @description Where events are sent.
                     * @example https://app.acme.example/webhooks
                     */
                    webhook_url?: string;
                    /**
                     * @description Types of events that are sent; by default all.
                     * @example [
                     *       "invoice.created",
                     *       "subscription.created"
                     *     ]
                     */
                    triggers_in?: ("subscription.created" | "subscription.activated" | "subscription.trial_will_end" | "subscription.trial_ended" | "subscription.renewed" | "subscription.plan_changed" | "subscription.paused" | "subscription.resumed" | "subscription.canceled" | "subscription.failed" | "invoice.created" | "invoice.paid" | "invoice.voided" | "invoice.past_due" | "refund.created" | "refund.succeeded" | "credit.created")[];
                    /**
                     * @description disabled: nothing is sent to it.
                     * @example active
                     * @enum {string}
                     */
                    status?: "active" | "disabled";
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhook_endpoint_id": "wh_01jd3k9x",
                     *       "name": "Billing",
                     *       "webhook_url": "https://app.acme.example/webhooks",
                     *       "triggers_in": [
                     *         "invoice.created",
                     *         "subscription.created"
                     *       ],
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    rollWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a webhook endpoint.
                 * @example wh_01jd3k9x
                 */
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "overlap_seconds": 3600
                 *     }
                 */
                "application/json": {
                    /**
                     * @description For how long what is sent is signed with the old secret too.
                     * @example 3600
                     */
                    overlap_seconds?: number;
                };
            };
        };
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhook_endpoint_id": "wh_01jd3k9x",
                     *       "name": "Billing",
                     *       "webhook_url": "https://app.acme.example/webhooks",
                     *       "triggers_in": [
                     *         "invoice.created",
                     *         "subscription.created"
                     *       ],
                     *       "status": "active",
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "webhook_secret": "whsec_..."
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a webhook endpoint.
                 * @example wh_01jd3k9x
                 */
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery_id": "whd_01jd3k9x",
                     *       "event_id": "evt_01jd3k9x",
                     *       "event_type": "invoice.created",
                     *       "status": "succeeded",
                     *       "attempts": [
                     *         {
                     *           "at": "2026-11-20T10:00:00.000Z",
                     *           "status_code": 200,
                     *           "error": null,
                     *           "duration_ms": 120
                     *         }
                     *       ],
                     *       "next_attempt_at": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
                /**
                 * @description Only deliveries in this state.
                 * @example failed
                 */
                status?: "pending" | "succeeded" | "failed";
            };
            header?: never;
            path: {
                /**
                 * @description Id of a webhook endpoint.
                 * @example wh_01jd3k9x
                 */
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "delivery_id": "whd_01jd3k9x",
                     *           "event_id": "evt_01jd3k9x",
                     *           "event_type": "invoice.created",
                     *           "status": "succeeded",
                     *           "attempts": [
                     *             {
                     *               "at": "2026-11-20T10:00:00.000Z",
                     *               "status_code": 200,
                     *               "error": null,
                     *               "duration_ms": 120
                     *             }
                     *           ],
                     *           "next_attempt_at": null,
                     *           "created_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["WebhookDelivery"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a webhook endpoint.
                 * @example wh_01jd3k9x
                 */
                webhook_endpoint_id: string;
                /**
                 * @description Id of a delivery: one for each event and endpoint.
                 * @example whd_01jd3k9x
                 */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery_id": "whd_01jd3k9x",
                     *       "event_id": "evt_01jd3k9x",
                     *       "event_type": "invoice.created",
                     *       "status": "succeeded",
                     *       "attempts": [
                     *         {
                     *           "at": "2026-11-20T10:00:00.000Z",
                     *           "status_code": 200,
                     *           "error": null,
                     *           "duration_ms": 120
                     *         }
                     *       ],
                     *       "next_attempt_at": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z",
                     *       "body": {
                     *         "id": "evt_01jd3k9x",
                     *         "type": "invoice.created",
                     *         "timestamp": "2026-11-20T10:00:00.000Z",
                     *         "data": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryWithBody"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    redeliverWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body within 24 hours give the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a webhook endpoint.
                 * @example wh_01jd3k9x
                 */
                webhook_endpoint_id: string;
                /**
                 * @description Id of a delivery: one for each event and endpoint.
                 * @example whd_01jd3k9x
                 */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery_id": "whd_01jd3k9x",
                     *       "event_id": "evt_01jd3k9x",
                     *       "event_type": "invoice.created",
                     *       "status": "succeeded",
                     *       "attempts": [
                     *         {
                     *           "at": "2026-11-20T10:00:00.000Z",
                     *           "status_code": 200,
                     *           "error": null,
                     *           "duration_ms": 120
                     *         }
                     *       ],
                     *       "next_attempt_at": null,
                     *       "created_at": "2026-11-20T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAllWebhookDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
                /**
                 * @description Only deliveries in this state.
                 * @example failed
                 */
                status?: "pending" | "succeeded" | "failed";
                /**
                 * @description Only those that failed, or are pending after a failure; with false only the others.
                 * @example true
                 */
                failing?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "delivery_id": "whd_01jd3k9x",
                     *           "event_id": "evt_01jd3k9x",
                     *           "event_type": "invoice.created",
                     *           "status": "succeeded",
                     *           "attempts": [
                     *             {
                     *               "at": "2026-11-20T10:00:00.000Z",
                     *               "status_code": 200,
                     *               "error": null,
                     *               "duration_ms": 120
                     *             }
                     *           ],
                     *           "next_attempt_at": null,
                     *           "created_at": "2026-11-20T10:00:00.000Z",
                     *           "webhook_endpoint_id": "wh_01jd3k9x",
                     *           "webhook_url": "https://app.acme.example/webhooks"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["WebhookDeliveryOfEndpoint"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /**
                 * @description Page, from 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Records of a page, 1 to 200.
                 * @example 50
                 */
                page_size?: number;
                /**
                 * @description Only the entry of this id.
                 * @example audit_01jd3k9x
                 */
                audit_id?: string;
                /**
                 * @description Only what this API key did.
                 * @example key_01jd3k9x
                 */
                key_id?: string;
                /**
                 * @description Only this action.
                 * @example customer.created
                 */
                action?: string;
                /**
                 * @description Only what was done to the thing of this id.
                 * @example acme
                 */
                resource_id?: string;
                /**
                 * @description Only what was done for this customer.
                 * @example acme
                 */
                customer_id?: string;
                /**
                 * @description Only what was done from then on: a date (midnight UTC) or a date-time.
                 * @example 2026-11-01
                 */
                start?: string;
                /**
                 * @description Only what was done before: a date (midnight UTC) or a date-time.
                 * @example 2026-12-01
                 */
                end?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "count_is_capped": true,
                     *       "next": null,
                     *       "previous": null,
                     *       "results": [
                     *         {
                     *           "audit_id": "audit_01jd3k9x",
                     *           "at": "2026-11-20T10:00:00.000Z",
                     *           "actor": {
                     *             "type": "key",
                     *             "key_id": "key_01jd3k9x",
                     *             "key_name": "edge"
                     *           },
                     *           "action": "customer.updated",
                     *           "resource_type": "customer",
                     *           "resource_id": "acme",
                     *           "customer_id": "acme",
                     *           "before": {},
                     *           "after": {},
                     *           "changes": [
                     *             {
                     *               "field": "email",
                     *               "before": "old@acme.example",
                     *               "after": "billing@acme.example"
                     *             }
                     *           ],
                     *           "request_id": "req_01jd3k9x",
                     *           "ip": "203.0.113.7"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description How many records the list has in all; exact up to 10000, and 10000 for any more. */
                        count: number;
                        /**
                         * @description Stands only where the list has more than 10000 records; its pages go on until `next` is null.
                         * @enum {boolean}
                         */
                        count_is_capped?: true;
                        /**
                         * @description URL of the next page; null on the last one.
                         * @example null
                         */
                        next: string | null;
                        /**
                         * @description URL of the previous page; null on the first one.
                         * @example null
                         */
                        previous: string | null;
                        /** @description The page, newest first unless said otherwise. */
                        results: components["schemas"]["AuditEntry"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    trackEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "events": [
                 *         {
                 *           "event_name": "api_call",
                 *           "customer_id": "acme",
                 *           "idempotency_id": "e-1",
                 *           "time_created": "2026-11-20T10:00:00.000Z",
                 *           "properties": {
                 *             "region": "eu",
                 *             "bytes": 1024
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Each is judged by itself: a bad one stops no other. */
                    events: {
                        /**
                         * @description What happened.
                         * @example api_call
                         */
                        event_name: string;
                        /**
                         * @description Whose usage it is; the customer need not exist yet.
                         * @example acme
                         */
                        customer_id: string;
                        /**
                         * @description Id of the event, chosen by the caller. A repeated one is counted once, for ever.
                         * @example e-1
                         */
                        idempotency_id: string;
                        /**
                         * Format: date-time
                         * @description When it happened, from 2000-01-01 to 24 hours ahead (in test mode to 2299-12-31); finer than a millisecond is truncated.
                         * @example 2026-11-20T10:00:00.000Z
                         */
                        time_created: string;
                        /** @description Up to 100 keys of 1 to 256 characters. */
                        properties?: {
                            [key: string]: string | number | boolean;
                        };
                    }[];
                };
                /**
                 * @example {"event_name":"api_call","customer_id":"acme","idempotency_id":"e-1","time_created":"2026-11-20T10:00:00.000Z","properties":{"region":"eu","bytes":1024}}
                 *     {"event_name":"api_call","customer_id":"acme","idempotency_id":"e-2","time_created":"2026-11-20T10:00:00.000Z","properties":{"region":"eu","bytes":1024}}
                 */
                "application/x-ndjson": string;
                /**
                 * @example {"event_name":"api_call","customer_id":"acme","idempotency_id":"e-1","time_created":"2026-11-20T10:00:00.000Z","properties":{"region":"eu","bytes":1024}}
                 *     {"event_name":"api_call","customer_id":"acme","idempotency_id":"e-2","time_created":"2026-11-20T10:00:00.000Z","properties":{"region":"eu","bytes":1024}}
                 */
                "application/ndjson": string;
            };
        };
        responses: {
            /** @description The good ones are stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accepted": 2,
                     *       "rejected": [
                     *         {
                     *           "index": 1,
                     *           "idempotency_id": "e-2",
                     *           "errors": {
                     *             "customer_id": [
                     *               "Required."
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TrackedBatch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    trackCloudEvents: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description In binary mode: `specversion`. Attributes in headers are percent-encoded.
                 * @example 1.0
                 */
                "ce-specversion"?: string;
                /**
                 * @description In binary mode: `type`.
                 * @example prompt
                 */
                "ce-type"?: string;
                /**
                 * @description In binary mode: `source`.
                 * @example /gateway
                 */
                "ce-source"?: string;
                /**
                 * @description In binary mode: `id`.
                 * @example 7
                 */
                "ce-id"?: string;
                /**
                 * @description In binary mode: `subject`.
                 * @example acme
                 */
                "ce-subject"?: string;
                /**
                 * @description In binary mode: `time`.
                 * @example 2026-11-20T10:00:00Z
                 */
                "ce-time"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "specversion": "1.0",
                 *       "type": "prompt",
                 *       "source": "/gateway",
                 *       "id": "7",
                 *       "subject": "acme",
                 *       "time": "2026-11-20T10:00:00Z",
                 *       "data": {
                 *         "model": "large",
                 *         "usage": {
                 *           "input": 1800
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CloudEvent"] | components["schemas"]["CloudEvent"][] | {
                    /** @description An event of Lago, instead of all other fields. */
                    event: components["schemas"]["LagoEvent"];
                } | {
                    [key: string]: unknown;
                };
                /**
                 * @example {
                 *       "specversion": "1.0",
                 *       "type": "prompt",
                 *       "source": "/gateway",
                 *       "id": "7",
                 *       "subject": "acme",
                 *       "time": "2026-11-20T10:00:00Z",
                 *       "data": {
                 *         "model": "large",
                 *         "usage": {
                 *           "input": 1800
                 *         }
                 *       }
                 *     }
                 */
                "application/cloudevents+json": components["schemas"]["CloudEvent"];
                /**
                 * @example [
                 *       {
                 *         "specversion": "1.0",
                 *         "type": "prompt",
                 *         "source": "/gateway",
                 *         "id": "7",
                 *         "subject": "acme",
                 *         "time": "2026-11-20T10:00:00Z",
                 *         "data": {
                 *           "model": "large",
                 *           "usage": {
                 *             "input": 1800
                 *           }
                 *         }
                 *       }
                 *     ]
                 */
                "application/cloudevents-batch+json": components["schemas"]["CloudEvent"][];
            };
        };
        responses: {
            /** @description An event of Lago is stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "event": {
                     *         "lago_id": "d1b0c2a4-5b0e-5b7a-9c1d-3f2e1a0b9c8d",
                     *         "transaction_id": "tx-1",
                     *         "lago_customer_id": null,
                     *         "external_customer_id": "acme",
                     *         "code": "tokens",
                     *         "timestamp": "2026-11-20T10:00:00.000Z",
                     *         "properties": {
                     *           "tokens": 1800,
                     *           "model": "large"
                     *         },
                     *         "lago_subscription_id": null,
                     *         "external_subscription_id": null,
                     *         "created_at": "2026-11-20T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @description The event. */
                        event: components["schemas"]["TakenLagoEvent"];
                    };
                };
            };
            /** @description All CloudEvents are stored, no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            /** @description What is wrong: by attribute; of a batch by event; of an event of Lago in its shape. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "1 of 3 events were rejected, the others are stored.",
                     *       "code": "events_rejected",
                     *       "request_id": "req_01jd3k9x",
                     *       "accepted": 2,
                     *       "rejected": [
                     *         {
                     *           "index": 1,
                     *           "idempotency_id": "/gateway 8",
                     *           "errors": {
                     *             "subject": [
                     *               "Required."
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EventsRejected"] | components["schemas"]["LagoValidationErrors"] | components["schemas"]["FieldErrors"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    trackLagoBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "events": [
                 *         {
                 *           "transaction_id": "tx-1",
                 *           "code": "tokens",
                 *           "external_customer_id": "acme",
                 *           "properties": {
                 *             "tokens": 1800
                 *           }
                 *         },
                 *         {
                 *           "transaction_id": "tx-2",
                 *           "code": "tokens",
                 *           "external_customer_id": "acme",
                 *           "properties": {
                 *             "tokens": 200
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description The events. */
                    events: components["schemas"]["LagoEvent"][];
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description All are stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [
                     *         {
                     *           "lago_id": "d1b0c2a4-5b0e-5b7a-9c1d-3f2e1a0b9c8d",
                     *           "transaction_id": "tx-1",
                     *           "lago_customer_id": null,
                     *           "external_customer_id": "acme",
                     *           "code": "tokens",
                     *           "timestamp": "2026-11-20T10:00:00.000Z",
                     *           "properties": {
                     *             "tokens": 1800,
                     *             "model": "large"
                     *           },
                     *           "lago_subscription_id": null,
                     *           "external_subscription_id": null,
                     *           "created_at": "2026-11-20T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description The events, in the order sent. */
                        events: components["schemas"]["TakenLagoEvent"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            /** @description What is wrong, by the index of the event. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 422,
                     *       "error": "Unprocessable Entity",
                     *       "code": "validation_errors",
                     *       "error_details": {
                     *         "code": [
                     *           "Required."
                     *         ]
                     *       },
                     *       "detail": "The event was rejected: error_details says what is wrong, by field.",
                     *       "request_id": "req_01jd3k9x"
                     *     }
                     */
                    "application/json": components["schemas"]["LagoValidationErrors"] | components["schemas"]["FieldErrors"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
        };
    };
    finishPaymentProviderConnection: {
        parameters: {
            query: {
                /**
                 * @description What `authorization_url` carried; good once.
                 * @example oauth_01jd3k9x
                 */
                state: string;
                /** @description What the processor grants access by. */
                code?: string;
                /** @description Why it grants none; forwarded to `redirect_url`. */
                error?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The payment processor.
                 * @example stripe
                 */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description On to `redirect_url`, with `connected=<provider>` or `error=<reason>`. */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            503: components["responses"]["Unavailable"];
        };
    };
    receiveProcessorEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The payment processor.
                 * @example stripe
                 */
                provider: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description Taken. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "received": true
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description That it was taken.
                         * @example true
                         * @enum {boolean}
                         */
                        received: true;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedContentEncoding"];
            503: components["responses"]["Unavailable"];
        };
    };
    receiveSubscriptionCreated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "subscription.created",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "subscription_id": "sub_01jd3k9x",
                 *         "customer_id": "acme",
                 *         "plan_id": "plan_01jd3k9x",
                 *         "version": 1,
                 *         "version_id": "planv_01jd3k9x",
                 *         "currency": "usd",
                 *         "overrides": {
                 *           "recurring_fee": 19,
                 *           "minimum_amount": 40,
                 *           "maximum_amount": 130,
                 *           "components": [
                 *             {
                 *               "metric_id": "metric_01jd3k9x",
                 *               "pricing_model": "per_unit",
                 *               "overage_price": 0.002,
                 *               "tiers": [
                 *                 {
                 *                   "up_to": 1000,
                 *                   "unit_price": 0.002,
                 *                   "flat_fee": 0
                 *                 }
                 *               ],
                 *               "package_size": null,
                 *               "percentage": null,
                 *               "fixed_amount": null,
                 *               "per_event_minimum": null,
                 *               "per_event_maximum": null,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130
                 *             }
                 *           ]
                 *         },
                 *         "status": "active",
                 *         "start_date": "2026-11-20",
                 *         "trial_days": null,
                 *         "trial_ends_at": null,
                 *         "end_date": null,
                 *         "auto_renew": true,
                 *         "billing_period": "monthly",
                 *         "charge_timing": "in_arrears",
                 *         "current_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_period_end": "2026-12-20T00:00:00.000Z",
                 *         "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                 *         "days_in_period": 30,
                 *         "cancel_at": null,
                 *         "canceled_at": null,
                 *         "cancel_reason": null,
                 *         "paused_at": null,
                 *         "pending_change": {
                 *           "new_plan_id": "plan_01jd3k9y",
                 *           "effective_date": "2026-11-20",
                 *           "invoicing_behavior": "add_to_next_invoice",
                 *           "usage_behavior": "transfer_to_new_subscription",
                 *           "overrides": {
                 *             "recurring_fee": 19,
                 *             "minimum_amount": 40,
                 *             "maximum_amount": 130,
                 *             "components": [
                 *               {
                 *                 "metric_id": "metric_01jd3k9x",
                 *                 "pricing_model": "per_unit",
                 *                 "overage_price": 0.002,
                 *                 "tiers": [
                 *                   {
                 *                     "up_to": 1000,
                 *                     "unit_price": 0.002,
                 *                     "flat_fee": 0
                 *                   }
                 *                 ],
                 *                 "package_size": null,
                 *                 "percentage": null,
                 *                 "fixed_amount": null,
                 *                 "per_event_minimum": null,
                 *                 "per_event_maximum": null,
                 *                 "minimum_amount": 40,
                 *                 "maximum_amount": 130
                 *               }
                 *             ]
                 *           }
                 *         },
                 *         "phases": [
                 *           {
                 *             "start_date": "2027-01-01",
                 *             "plan_id": null,
                 *             "version": null,
                 *             "overrides": {
                 *               "recurring_fee": 19,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130,
                 *               "components": [
                 *                 {
                 *                   "metric_id": "metric_01jd3k9x",
                 *                   "pricing_model": "per_unit",
                 *                   "overage_price": 0.002,
                 *                   "tiers": [
                 *                     {
                 *                       "up_to": 1000,
                 *                       "unit_price": 0.002,
                 *                       "flat_fee": 0
                 *                     }
                 *                   ],
                 *                   "package_size": null,
                 *                   "percentage": null,
                 *                   "fixed_amount": null,
                 *                   "per_event_minimum": null,
                 *                   "per_event_maximum": null,
                 *                   "minimum_amount": 40,
                 *                   "maximum_amount": 130
                 *                 }
                 *               ]
                 *             }
                 *           }
                 *         ],
                 *         "addons": [
                 *           {
                 *             "addon_subscription_id": "addonsub_01jd3k9x",
                 *             "addon_id": "addon_01jd3k9x",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "quantity": 3,
                 *             "status": "active",
                 *             "attached_at": "2026-11-20T10:00:00.000Z"
                 *           }
                 *         ],
                 *         "prepaid_units": [
                 *           {
                 *             "metric_id": "metric_01jd3k9x",
                 *             "units": 1000,
                 *             "used": 100,
                 *             "remaining": 900
                 *           }
                 *         ],
                 *         "previous_subscription_id": null,
                 *         "replaced_by": null,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "metadata": {
                 *           "team": "growth"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example subscription.created
                     * @enum {string}
                     */
                    type: "subscription.created";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Subscription"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveSubscriptionActivated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "subscription.activated",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "subscription_id": "sub_01jd3k9x",
                 *         "customer_id": "acme",
                 *         "plan_id": "plan_01jd3k9x",
                 *         "version": 1,
                 *         "version_id": "planv_01jd3k9x",
                 *         "currency": "usd",
                 *         "overrides": {
                 *           "recurring_fee": 19,
                 *           "minimum_amount": 40,
                 *           "maximum_amount": 130,
                 *           "components": [
                 *             {
                 *               "metric_id": "metric_01jd3k9x",
                 *               "pricing_model": "per_unit",
                 *               "overage_price": 0.002,
                 *               "tiers": [
                 *                 {
                 *                   "up_to": 1000,
                 *                   "unit_price": 0.002,
                 *                   "flat_fee": 0
                 *                 }
                 *               ],
                 *               "package_size": null,
                 *               "percentage": null,
                 *               "fixed_amount": null,
                 *               "per_event_minimum": null,
                 *               "per_event_maximum": null,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130
                 *             }
                 *           ]
                 *         },
                 *         "status": "active",
                 *         "start_date": "2026-11-20",
                 *         "trial_days": null,
                 *         "trial_ends_at": null,
                 *         "end_date": null,
                 *         "auto_renew": true,
                 *         "billing_period": "monthly",
                 *         "charge_timing": "in_arrears",
                 *         "current_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_period_end": "2026-12-20T00:00:00.000Z",
                 *         "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                 *         "days_in_period": 30,
                 *         "cancel_at": null,
                 *         "canceled_at": null,
                 *         "cancel_reason": null,
                 *         "paused_at": null,
                 *         "pending_change": {
                 *           "new_plan_id": "plan_01jd3k9y",
                 *           "effective_date": "2026-11-20",
                 *           "invoicing_behavior": "add_to_next_invoice",
                 *           "usage_behavior": "transfer_to_new_subscription",
                 *           "overrides": {
                 *             "recurring_fee": 19,
                 *             "minimum_amount": 40,
                 *             "maximum_amount": 130,
                 *             "components": [
                 *               {
                 *                 "metric_id": "metric_01jd3k9x",
                 *                 "pricing_model": "per_unit",
                 *                 "overage_price": 0.002,
                 *                 "tiers": [
                 *                   {
                 *                     "up_to": 1000,
                 *                     "unit_price": 0.002,
                 *                     "flat_fee": 0
                 *                   }
                 *                 ],
                 *                 "package_size": null,
                 *                 "percentage": null,
                 *                 "fixed_amount": null,
                 *                 "per_event_minimum": null,
                 *                 "per_event_maximum": null,
                 *                 "minimum_amount": 40,
                 *                 "maximum_amount": 130
                 *               }
                 *             ]
                 *           }
                 *         },
                 *         "phases": [
                 *           {
                 *             "start_date": "2027-01-01",
                 *             "plan_id": null,
                 *             "version": null,
                 *             "overrides": {
                 *               "recurring_fee": 19,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130,
                 *               "components": [
                 *                 {
                 *                   "metric_id": "metric_01jd3k9x",
                 *                   "pricing_model": "per_unit",
                 *                   "overage_price": 0.002,
                 *                   "tiers": [
                 *                     {
                 *                       "up_to": 1000,
                 *                       "unit_price": 0.002,
                 *                       "flat_fee": 0
                 *                     }
                 *                   ],
                 *                   "package_size": null,
                 *                   "percentage": null,
                 *                   "fixed_amount": null,
                 *                   "per_event_minimum": null,
                 *                   "per_event_maximum": null,
                 *                   "minimum_amount": 40,
                 *                   "maximum_amount": 130
                 *                 }
                 *               ]
                 *             }
                 *           }
                 *         ],
                 *         "addons": [
                 *           {
                 *             "addon_subscription_id": "addonsub_01jd3k9x",
                 *             "addon_id": "addon_01jd3k9x",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "quantity": 3,
                 *             "status": "active",
                 *             "attached_at": "2026-11-20T10:00:00.000Z"
                 *           }
                 *         ],
                 *         "prepaid_units": [
                 *           {
                 *             "metric_id": "metric_01jd3k9x",
                 *             "units": 1000,
                 *             "used": 100,
                 *             "remaining": 900
                 *           }
                 *         ],
                 *         "previous_subscription_id": null,
                 *         "replaced_by": null,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "metadata": {
                 *           "team": "growth"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example subscription.activated
                     * @enum {string}
                     */
                    type: "subscription.activated";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Subscription"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveSubscriptionTrialWillEnd: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "subscription.trial_will_end",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "subscription_id": "sub_01jd3k9x",
                 *         "customer_id": "acme",
                 *         "plan_id": "plan_01jd3k9x",
                 *         "version": 1,
                 *         "version_id": "planv_01jd3k9x",
                 *         "currency": "usd",
                 *         "overrides": {
                 *           "recurring_fee": 19,
                 *           "minimum_amount": 40,
                 *           "maximum_amount": 130,
                 *           "components": [
                 *             {
                 *               "metric_id": "metric_01jd3k9x",
                 *               "pricing_model": "per_unit",
                 *               "overage_price": 0.002,
                 *               "tiers": [
                 *                 {
                 *                   "up_to": 1000,
                 *                   "unit_price": 0.002,
                 *                   "flat_fee": 0
                 *                 }
                 *               ],
                 *               "package_size": null,
                 *               "percentage": null,
                 *               "fixed_amount": null,
                 *               "per_event_minimum": null,
                 *               "per_event_maximum": null,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130
                 *             }
                 *           ]
                 *         },
                 *         "status": "active",
                 *         "start_date": "2026-11-20",
                 *         "trial_days": null,
                 *         "trial_ends_at": null,
                 *         "end_date": null,
                 *         "auto_renew": true,
                 *         "billing_period": "monthly",
                 *         "charge_timing": "in_arrears",
                 *         "current_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_period_end": "2026-12-20T00:00:00.000Z",
                 *         "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                 *         "days_in_period": 30,
                 *         "cancel_at": null,
                 *         "canceled_at": null,
                 *         "cancel_reason": null,
                 *         "paused_at": null,
                 *         "pending_change": {
                 *           "new_plan_id": "plan_01jd3k9y",
                 *           "effective_date": "2026-11-20",
                 *           "invoicing_behavior": "add_to_next_invoice",
                 *           "usage_behavior": "transfer_to_new_subscription",
                 *           "overrides": {
                 *             "recurring_fee": 19,
                 *             "minimum_amount": 40,
                 *             "maximum_amount": 130,
                 *             "components": [
                 *               {
                 *                 "metric_id": "metric_01jd3k9x",
                 *                 "pricing_model": "per_unit",
                 *                 "overage_price": 0.002,
                 *                 "tiers": [
                 *                   {
                 *                     "up_to": 1000,
                 *                     "unit_price": 0.002,
                 *                     "flat_fee": 0
                 *                   }
                 *                 ],
                 *                 "package_size": null,
                 *                 "percentage": null,
                 *                 "fixed_amount": null,
                 *                 "per_event_minimum": null,
                 *                 "per_event_maximum": null,
                 *                 "minimum_amount": 40,
                 *                 "maximum_amount": 130
                 *               }
                 *             ]
                 *           }
                 *         },
                 *         "phases": [
                 *           {
                 *             "start_date": "2027-01-01",
                 *             "plan_id": null,
                 *             "version": null,
                 *             "overrides": {
                 *               "recurring_fee": 19,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130,
                 *               "components": [
                 *                 {
                 *                   "metric_id": "metric_01jd3k9x",
                 *                   "pricing_model": "per_unit",
                 *                   "overage_price": 0.002,
                 *                   "tiers": [
                 *                     {
                 *                       "up_to": 1000,
                 *                       "unit_price": 0.002,
                 *                       "flat_fee": 0
                 *                     }
                 *                   ],
                 *                   "package_size": null,
                 *                   "percentage": null,
                 *                   "fixed_amount": null,
                 *                   "per_event_minimum": null,
                 *                   "per_event_maximum": null,
                 *                   "minimum_amount": 40,
                 *                   "maximum_amount": 130
                 *                 }
                 *               ]
                 *             }
                 *           }
                 *         ],
                 *         "addons": [
                 *           {
                 *             "addon_subscription_id": "addonsub_01jd3k9x",
                 *             "addon_id": "addon_01jd3k9x",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "quantity": 3,
                 *             "status": "active",
                 *             "attached_at": "2026-11-20T10:00:00.000Z"
                 *           }
                 *         ],
                 *         "prepaid_units": [
                 *           {
                 *             "metric_id": "metric_01jd3k9x",
                 *             "units": 1000,
                 *             "used": 100,
                 *             "remaining": 900
                 *           }
                 *         ],
                 *         "previous_subscription_id": null,
                 *         "replaced_by": null,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "metadata": {
                 *           "team": "growth"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example subscription.trial_will_end
                     * @enum {string}
                     */
                    type: "subscription.trial_will_end";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Subscription"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveSubscriptionTrialEnded: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "subscription.trial_ended",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "subscription_id": "sub_01jd3k9x",
                 *         "customer_id": "acme",
                 *         "plan_id": "plan_01jd3k9x",
                 *         "version": 1,
                 *         "version_id": "planv_01jd3k9x",
                 *         "currency": "usd",
                 *         "overrides": {
                 *           "recurring_fee": 19,
                 *           "minimum_amount": 40,
                 *           "maximum_amount": 130,
                 *           "components": [
                 *             {
                 *               "metric_id": "metric_01jd3k9x",
                 *               "pricing_model": "per_unit",
                 *               "overage_price": 0.002,
                 *               "tiers": [
                 *                 {
                 *                   "up_to": 1000,
                 *                   "unit_price": 0.002,
                 *                   "flat_fee": 0
                 *                 }
                 *               ],
                 *               "package_size": null,
                 *               "percentage": null,
                 *               "fixed_amount": null,
                 *               "per_event_minimum": null,
                 *               "per_event_maximum": null,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130
                 *             }
                 *           ]
                 *         },
                 *         "status": "active",
                 *         "start_date": "2026-11-20",
                 *         "trial_days": null,
                 *         "trial_ends_at": null,
                 *         "end_date": null,
                 *         "auto_renew": true,
                 *         "billing_period": "monthly",
                 *         "charge_timing": "in_arrears",
                 *         "current_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_period_end": "2026-12-20T00:00:00.000Z",
                 *         "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                 *         "days_in_period": 30,
                 *         "cancel_at": null,
                 *         "canceled_at": null,
                 *         "cancel_reason": null,
                 *         "paused_at": null,
                 *         "pending_change": {
                 *           "new_plan_id": "plan_01jd3k9y",
                 *           "effective_date": "2026-11-20",
                 *           "invoicing_behavior": "add_to_next_invoice",
                 *           "usage_behavior": "transfer_to_new_subscription",
                 *           "overrides": {
                 *             "recurring_fee": 19,
                 *             "minimum_amount": 40,
                 *             "maximum_amount": 130,
                 *             "components": [
                 *               {
                 *                 "metric_id": "metric_01jd3k9x",
                 *                 "pricing_model": "per_unit",
                 *                 "overage_price": 0.002,
                 *                 "tiers": [
                 *                   {
                 *                     "up_to": 1000,
                 *                     "unit_price": 0.002,
                 *                     "flat_fee": 0
                 *                   }
                 *                 ],
                 *                 "package_size": null,
                 *                 "percentage": null,
                 *                 "fixed_amount": null,
                 *                 "per_event_minimum": null,
                 *                 "per_event_maximum": null,
                 *                 "minimum_amount": 40,
                 *                 "maximum_amount": 130
                 *               }
                 *             ]
                 *           }
                 *         },
                 *         "phases": [
                 *           {
                 *             "start_date": "2027-01-01",
                 *             "plan_id": null,
                 *             "version": null,
                 *             "overrides": {
                 *               "recurring_fee": 19,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130,
                 *               "components": [
                 *                 {
                 *                   "metric_id": "metric_01jd3k9x",
                 *                   "pricing_model": "per_unit",
                 *                   "overage_price": 0.002,
                 *                   "tiers": [
                 *                     {
                 *                       "up_to": 1000,
                 *                       "unit_price": 0.002,
                 *                       "flat_fee": 0
                 *                     }
                 *                   ],
                 *                   "package_size": null,
                 *                   "percentage": null,
                 *                   "fixed_amount": null,
                 *                   "per_event_minimum": null,
                 *                   "per_event_maximum": null,
                 *                   "minimum_amount": 40,
                 *                   "maximum_amount": 130
                 *                 }
                 *               ]
                 *             }
                 *           }
                 *         ],
                 *         "addons": [
                 *           {
                 *             "addon_subscription_id": "addonsub_01jd3k9x",
                 *             "addon_id": "addon_01jd3k9x",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "quantity": 3,
                 *             "status": "active",
                 *             "attached_at": "2026-11-20T10:00:00.000Z"
                 *           }
                 *         ],
                 *         "prepaid_units": [
                 *           {
                 *             "metric_id": "metric_01jd3k9x",
                 *             "units": 1000,
                 *             "used": 100,
                 *             "remaining": 900
                 *           }
                 *         ],
                 *         "previous_subscription_id": null,
                 *         "replaced_by": null,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "metadata": {
                 *           "team": "growth"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example subscription.trial_ended
                     * @enum {string}
                     */
                    type: "subscription.trial_ended";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Subscription"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveSubscriptionRenewed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "subscription.renewed",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "subscription_id": "sub_01jd3k9x",
                 *         "customer_id": "acme",
                 *         "plan_id": "plan_01jd3k9x",
                 *         "version": 1,
                 *         "version_id": "planv_01jd3k9x",
                 *         "currency": "usd",
                 *         "overrides": {
                 *           "recurring_fee": 19,
                 *           "minimum_amount": 40,
                 *           "maximum_amount": 130,
                 *           "components": [
                 *             {
                 *               "metric_id": "metric_01jd3k9x",
                 *               "pricing_model": "per_unit",
                 *               "overage_price": 0.002,
                 *               "tiers": [
                 *                 {
                 *                   "up_to": 1000,
                 *                   "unit_price": 0.002,
                 *                   "flat_fee": 0
                 *                 }
                 *               ],
                 *               "package_size": null,
                 *               "percentage": null,
                 *               "fixed_amount": null,
                 *               "per_event_minimum": null,
                 *               "per_event_maximum": null,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130
                 *             }
                 *           ]
                 *         },
                 *         "status": "active",
                 *         "start_date": "2026-11-20",
                 *         "trial_days": null,
                 *         "trial_ends_at": null,
                 *         "end_date": null,
                 *         "auto_renew": true,
                 *         "billing_period": "monthly",
                 *         "charge_timing": "in_arrears",
                 *         "current_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_period_end": "2026-12-20T00:00:00.000Z",
                 *         "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                 *         "days_in_period": 30,
                 *         "cancel_at": null,
                 *         "canceled_at": null,
                 *         "cancel_reason": null,
                 *         "paused_at": null,
                 *         "pending_change": {
                 *           "new_plan_id": "plan_01jd3k9y",
                 *           "effective_date": "2026-11-20",
                 *           "invoicing_behavior": "add_to_next_invoice",
                 *           "usage_behavior": "transfer_to_new_subscription",
                 *           "overrides": {
                 *             "recurring_fee": 19,
                 *             "minimum_amount": 40,
                 *             "maximum_amount": 130,
                 *             "components": [
                 *               {
                 *                 "metric_id": "metric_01jd3k9x",
                 *                 "pricing_model": "per_unit",
                 *                 "overage_price": 0.002,
                 *                 "tiers": [
                 *                   {
                 *                     "up_to": 1000,
                 *                     "unit_price": 0.002,
                 *                     "flat_fee": 0
                 *                   }
                 *                 ],
                 *                 "package_size": null,
                 *                 "percentage": null,
                 *                 "fixed_amount": null,
                 *                 "per_event_minimum": null,
                 *                 "per_event_maximum": null,
                 *                 "minimum_amount": 40,
                 *                 "maximum_amount": 130
                 *               }
                 *             ]
                 *           }
                 *         },
                 *         "phases": [
                 *           {
                 *             "start_date": "2027-01-01",
                 *             "plan_id": null,
                 *             "version": null,
                 *             "overrides": {
                 *               "recurring_fee": 19,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130,
                 *               "components": [
                 *                 {
                 *                   "metric_id": "metric_01jd3k9x",
                 *                   "pricing_model": "per_unit",
                 *                   "overage_price": 0.002,
                 *                   "tiers": [
                 *                     {
                 *                       "up_to": 1000,
                 *                       "unit_price": 0.002,
                 *                       "flat_fee": 0
                 *                     }
                 *                   ],
                 *                   "package_size": null,
                 *                   "percentage": null,
                 *                   "fixed_amount": null,
                 *                   "per_event_minimum": null,
                 *                   "per_event_maximum": null,
                 *                   "minimum_amount": 40,
                 *                   "maximum_amount": 130
                 *                 }
                 *               ]
                 *             }
                 *           }
                 *         ],
                 *         "addons": [
                 *           {
                 *             "addon_subscription_id": "addonsub_01jd3k9x",
                 *             "addon_id": "addon_01jd3k9x",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "quantity": 3,
                 *             "status": "active",
                 *             "attached_at": "2026-11-20T10:00:00.000Z"
                 *           }
                 *         ],
                 *         "prepaid_units": [
                 *           {
                 *             "metric_id": "metric_01jd3k9x",
                 *             "units": 1000,
                 *             "used": 100,
                 *             "remaining": 900
                 *           }
                 *         ],
                 *         "previous_subscription_id": null,
                 *         "replaced_by": null,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "metadata": {
                 *           "team": "growth"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example subscription.renewed
                     * @enum {string}
                     */
                    type: "subscription.renewed";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Subscription"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveSubscriptionPlanChanged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "subscription.plan_changed",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "subscription_id": "sub_01jd3k9x",
                 *         "customer_id": "acme",
                 *         "plan_id": "plan_01jd3k9x",
                 *         "version": 1,
                 *         "version_id": "planv_01jd3k9x",
                 *         "currency": "usd",
                 *         "overrides": {
                 *           "recurring_fee": 19,
                 *           "minimum_amount": 40,
                 *           "maximum_amount": 130,
                 *           "components": [
                 *             {
                 *               "metric_id": "metric_01jd3k9x",
                 *               "pricing_model": "per_unit",
                 *               "overage_price": 0.002,
                 *               "tiers": [
                 *                 {
                 *                   "up_to": 1000,
                 *                   "unit_price": 0.002,
                 *                   "flat_fee": 0
                 *                 }
                 *               ],
                 *               "package_size": null,
                 *               "percentage": null,
                 *               "fixed_amount": null,
                 *               "per_event_minimum": null,
                 *               "per_event_maximum": null,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130
                 *             }
                 *           ]
                 *         },
                 *         "status": "active",
                 *         "start_date": "2026-11-20",
                 *         "trial_days": null,
                 *         "trial_ends_at": null,
                 *         "end_date": null,
                 *         "auto_renew": true,
                 *         "billing_period": "monthly",
                 *         "charge_timing": "in_arrears",
                 *         "current_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_period_end": "2026-12-20T00:00:00.000Z",
                 *         "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                 *         "days_in_period": 30,
                 *         "cancel_at": null,
                 *         "canceled_at": null,
                 *         "cancel_reason": null,
                 *         "paused_at": null,
                 *         "pending_change": {
                 *           "new_plan_id": "plan_01jd3k9y",
                 *           "effective_date": "2026-11-20",
                 *           "invoicing_behavior": "add_to_next_invoice",
                 *           "usage_behavior": "transfer_to_new_subscription",
                 *           "overrides": {
                 *             "recurring_fee": 19,
                 *             "minimum_amount": 40,
                 *             "maximum_amount": 130,
                 *             "components": [
                 *               {
                 *                 "metric_id": "metric_01jd3k9x",
                 *                 "pricing_model": "per_unit",
                 *                 "overage_price": 0.002,
                 *                 "tiers": [
                 *                   {
                 *                     "up_to": 1000,
                 *                     "unit_price": 0.002,
                 *                     "flat_fee": 0
                 *                   }
                 *                 ],
                 *                 "package_size": null,
                 *                 "percentage": null,
                 *                 "fixed_amount": null,
                 *                 "per_event_minimum": null,
                 *                 "per_event_maximum": null,
                 *                 "minimum_amount": 40,
                 *                 "maximum_amount": 130
                 *               }
                 *             ]
                 *           }
                 *         },
                 *         "phases": [
                 *           {
                 *             "start_date": "2027-01-01",
                 *             "plan_id": null,
                 *             "version": null,
                 *             "overrides": {
                 *               "recurring_fee": 19,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130,
                 *               "components": [
                 *                 {
                 *                   "metric_id": "metric_01jd3k9x",
                 *                   "pricing_model": "per_unit",
                 *                   "overage_price": 0.002,
                 *                   "tiers": [
                 *                     {
                 *                       "up_to": 1000,
                 *                       "unit_price": 0.002,
                 *                       "flat_fee": 0
                 *                     }
                 *                   ],
                 *                   "package_size": null,
                 *                   "percentage": null,
                 *                   "fixed_amount": null,
                 *                   "per_event_minimum": null,
                 *                   "per_event_maximum": null,
                 *                   "minimum_amount": 40,
                 *                   "maximum_amount": 130
                 *                 }
                 *               ]
                 *             }
                 *           }
                 *         ],
                 *         "addons": [
                 *           {
                 *             "addon_subscription_id": "addonsub_01jd3k9x",
                 *             "addon_id": "addon_01jd3k9x",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "quantity": 3,
                 *             "status": "active",
                 *             "attached_at": "2026-11-20T10:00:00.000Z"
                 *           }
                 *         ],
                 *         "prepaid_units": [
                 *           {
                 *             "metric_id": "metric_01jd3k9x",
                 *             "units": 1000,
                 *             "used": 100,
                 *             "remaining": 900
                 *           }
                 *         ],
                 *         "previous_subscription_id": null,
                 *         "replaced_by": null,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "metadata": {
                 *           "team": "growth"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example subscription.plan_changed
                     * @enum {string}
                     */
                    type: "subscription.plan_changed";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Subscription"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveSubscriptionPaused: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "subscription.paused",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "subscription_id": "sub_01jd3k9x",
                 *         "customer_id": "acme",
                 *         "plan_id": "plan_01jd3k9x",
                 *         "version": 1,
                 *         "version_id": "planv_01jd3k9x",
                 *         "currency": "usd",
                 *         "overrides": {
                 *           "recurring_fee": 19,
                 *           "minimum_amount": 40,
                 *           "maximum_amount": 130,
                 *           "components": [
                 *             {
                 *               "metric_id": "metric_01jd3k9x",
                 *               "pricing_model": "per_unit",
                 *               "overage_price": 0.002,
                 *               "tiers": [
                 *                 {
                 *                   "up_to": 1000,
                 *                   "unit_price": 0.002,
                 *                   "flat_fee": 0
                 *                 }
                 *               ],
                 *               "package_size": null,
                 *               "percentage": null,
                 *               "fixed_amount": null,
                 *               "per_event_minimum": null,
                 *               "per_event_maximum": null,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130
                 *             }
                 *           ]
                 *         },
                 *         "status": "active",
                 *         "start_date": "2026-11-20",
                 *         "trial_days": null,
                 *         "trial_ends_at": null,
                 *         "end_date": null,
                 *         "auto_renew": true,
                 *         "billing_period": "monthly",
                 *         "charge_timing": "in_arrears",
                 *         "current_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_period_end": "2026-12-20T00:00:00.000Z",
                 *         "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                 *         "days_in_period": 30,
                 *         "cancel_at": null,
                 *         "canceled_at": null,
                 *         "cancel_reason": null,
                 *         "paused_at": null,
                 *         "pending_change": {
                 *           "new_plan_id": "plan_01jd3k9y",
                 *           "effective_date": "2026-11-20",
                 *           "invoicing_behavior": "add_to_next_invoice",
                 *           "usage_behavior": "transfer_to_new_subscription",
                 *           "overrides": {
                 *             "recurring_fee": 19,
                 *             "minimum_amount": 40,
                 *             "maximum_amount": 130,
                 *             "components": [
                 *               {
                 *                 "metric_id": "metric_01jd3k9x",
                 *                 "pricing_model": "per_unit",
                 *                 "overage_price": 0.002,
                 *                 "tiers": [
                 *                   {
                 *                     "up_to": 1000,
                 *                     "unit_price": 0.002,
                 *                     "flat_fee": 0
                 *                   }
                 *                 ],
                 *                 "package_size": null,
                 *                 "percentage": null,
                 *                 "fixed_amount": null,
                 *                 "per_event_minimum": null,
                 *                 "per_event_maximum": null,
                 *                 "minimum_amount": 40,
                 *                 "maximum_amount": 130
                 *               }
                 *             ]
                 *           }
                 *         },
                 *         "phases": [
                 *           {
                 *             "start_date": "2027-01-01",
                 *             "plan_id": null,
                 *             "version": null,
                 *             "overrides": {
                 *               "recurring_fee": 19,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130,
                 *               "components": [
                 *                 {
                 *                   "metric_id": "metric_01jd3k9x",
                 *                   "pricing_model": "per_unit",
                 *                   "overage_price": 0.002,
                 *                   "tiers": [
                 *                     {
                 *                       "up_to": 1000,
                 *                       "unit_price": 0.002,
                 *                       "flat_fee": 0
                 *                     }
                 *                   ],
                 *                   "package_size": null,
                 *                   "percentage": null,
                 *                   "fixed_amount": null,
                 *                   "per_event_minimum": null,
                 *                   "per_event_maximum": null,
                 *                   "minimum_amount": 40,
                 *                   "maximum_amount": 130
                 *                 }
                 *               ]
                 *             }
                 *           }
                 *         ],
                 *         "addons": [
                 *           {
                 *             "addon_subscription_id": "addonsub_01jd3k9x",
                 *             "addon_id": "addon_01jd3k9x",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "quantity": 3,
                 *             "status": "active",
                 *             "attached_at": "2026-11-20T10:00:00.000Z"
                 *           }
                 *         ],
                 *         "prepaid_units": [
                 *           {
                 *             "metric_id": "metric_01jd3k9x",
                 *             "units": 1000,
                 *             "used": 100,
                 *             "remaining": 900
                 *           }
                 *         ],
                 *         "previous_subscription_id": null,
                 *         "replaced_by": null,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "metadata": {
                 *           "team": "growth"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example subscription.paused
                     * @enum {string}
                     */
                    type: "subscription.paused";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Subscription"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveSubscriptionResumed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "subscription.resumed",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "subscription_id": "sub_01jd3k9x",
                 *         "customer_id": "acme",
                 *         "plan_id": "plan_01jd3k9x",
                 *         "version": 1,
                 *         "version_id": "planv_01jd3k9x",
                 *         "currency": "usd",
                 *         "overrides": {
                 *           "recurring_fee": 19,
                 *           "minimum_amount": 40,
                 *           "maximum_amount": 130,
                 *           "components": [
                 *             {
                 *               "metric_id": "metric_01jd3k9x",
                 *               "pricing_model": "per_unit",
                 *               "overage_price": 0.002,
                 *               "tiers": [
                 *                 {
                 *                   "up_to": 1000,
                 *                   "unit_price": 0.002,
                 *                   "flat_fee": 0
                 *                 }
                 *               ],
                 *               "package_size": null,
                 *               "percentage": null,
                 *               "fixed_amount": null,
                 *               "per_event_minimum": null,
                 *               "per_event_maximum": null,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130
                 *             }
                 *           ]
                 *         },
                 *         "status": "active",
                 *         "start_date": "2026-11-20",
                 *         "trial_days": null,
                 *         "trial_ends_at": null,
                 *         "end_date": null,
                 *         "auto_renew": true,
                 *         "billing_period": "monthly",
                 *         "charge_timing": "in_arrears",
                 *         "current_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_period_end": "2026-12-20T00:00:00.000Z",
                 *         "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                 *         "days_in_period": 30,
                 *         "cancel_at": null,
                 *         "canceled_at": null,
                 *         "cancel_reason": null,
                 *         "paused_at": null,
                 *         "pending_change": {
                 *           "new_plan_id": "plan_01jd3k9y",
                 *           "effective_date": "2026-11-20",
                 *           "invoicing_behavior": "add_to_next_invoice",
                 *           "usage_behavior": "transfer_to_new_subscription",
                 *           "overrides": {
                 *             "recurring_fee": 19,
                 *             "minimum_amount": 40,
                 *             "maximum_amount": 130,
                 *             "components": [
                 *               {
                 *                 "metric_id": "metric_01jd3k9x",
                 *                 "pricing_model": "per_unit",
                 *                 "overage_price": 0.002,
                 *                 "tiers": [
                 *                   {
                 *                     "up_to": 1000,
                 *                     "unit_price": 0.002,
                 *                     "flat_fee": 0
                 *                   }
                 *                 ],
                 *                 "package_size": null,
                 *                 "percentage": null,
                 *                 "fixed_amount": null,
                 *                 "per_event_minimum": null,
                 *                 "per_event_maximum": null,
                 *                 "minimum_amount": 40,
                 *                 "maximum_amount": 130
                 *               }
                 *             ]
                 *           }
                 *         },
                 *         "phases": [
                 *           {
                 *             "start_date": "2027-01-01",
                 *             "plan_id": null,
                 *             "version": null,
                 *             "overrides": {
                 *               "recurring_fee": 19,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130,
                 *               "components": [
                 *                 {
                 *                   "metric_id": "metric_01jd3k9x",
                 *                   "pricing_model": "per_unit",
                 *                   "overage_price": 0.002,
                 *                   "tiers": [
                 *                     {
                 *                       "up_to": 1000,
                 *                       "unit_price": 0.002,
                 *                       "flat_fee": 0
                 *                     }
                 *                   ],
                 *                   "package_size": null,
                 *                   "percentage": null,
                 *                   "fixed_amount": null,
                 *                   "per_event_minimum": null,
                 *                   "per_event_maximum": null,
                 *                   "minimum_amount": 40,
                 *                   "maximum_amount": 130
                 *                 }
                 *               ]
                 *             }
                 *           }
                 *         ],
                 *         "addons": [
                 *           {
                 *             "addon_subscription_id": "addonsub_01jd3k9x",
                 *             "addon_id": "addon_01jd3k9x",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "quantity": 3,
                 *             "status": "active",
                 *             "attached_at": "2026-11-20T10:00:00.000Z"
                 *           }
                 *         ],
                 *         "prepaid_units": [
                 *           {
                 *             "metric_id": "metric_01jd3k9x",
                 *             "units": 1000,
                 *             "used": 100,
                 *             "remaining": 900
                 *           }
                 *         ],
                 *         "previous_subscription_id": null,
                 *         "replaced_by": null,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "metadata": {
                 *           "team": "growth"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example subscription.resumed
                     * @enum {string}
                     */
                    type: "subscription.resumed";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Subscription"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveSubscriptionCanceled: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "subscription.canceled",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "subscription_id": "sub_01jd3k9x",
                 *         "customer_id": "acme",
                 *         "plan_id": "plan_01jd3k9x",
                 *         "version": 1,
                 *         "version_id": "planv_01jd3k9x",
                 *         "currency": "usd",
                 *         "overrides": {
                 *           "recurring_fee": 19,
                 *           "minimum_amount": 40,
                 *           "maximum_amount": 130,
                 *           "components": [
                 *             {
                 *               "metric_id": "metric_01jd3k9x",
                 *               "pricing_model": "per_unit",
                 *               "overage_price": 0.002,
                 *               "tiers": [
                 *                 {
                 *                   "up_to": 1000,
                 *                   "unit_price": 0.002,
                 *                   "flat_fee": 0
                 *                 }
                 *               ],
                 *               "package_size": null,
                 *               "percentage": null,
                 *               "fixed_amount": null,
                 *               "per_event_minimum": null,
                 *               "per_event_maximum": null,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130
                 *             }
                 *           ]
                 *         },
                 *         "status": "active",
                 *         "start_date": "2026-11-20",
                 *         "trial_days": null,
                 *         "trial_ends_at": null,
                 *         "end_date": null,
                 *         "auto_renew": true,
                 *         "billing_period": "monthly",
                 *         "charge_timing": "in_arrears",
                 *         "current_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_period_end": "2026-12-20T00:00:00.000Z",
                 *         "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                 *         "days_in_period": 30,
                 *         "cancel_at": null,
                 *         "canceled_at": null,
                 *         "cancel_reason": null,
                 *         "paused_at": null,
                 *         "pending_change": {
                 *           "new_plan_id": "plan_01jd3k9y",
                 *           "effective_date": "2026-11-20",
                 *           "invoicing_behavior": "add_to_next_invoice",
                 *           "usage_behavior": "transfer_to_new_subscription",
                 *           "overrides": {
                 *             "recurring_fee": 19,
                 *             "minimum_amount": 40,
                 *             "maximum_amount": 130,
                 *             "components": [
                 *               {
                 *                 "metric_id": "metric_01jd3k9x",
                 *                 "pricing_model": "per_unit",
                 *                 "overage_price": 0.002,
                 *                 "tiers": [
                 *                   {
                 *                     "up_to": 1000,
                 *                     "unit_price": 0.002,
                 *                     "flat_fee": 0
                 *                   }
                 *                 ],
                 *                 "package_size": null,
                 *                 "percentage": null,
                 *                 "fixed_amount": null,
                 *                 "per_event_minimum": null,
                 *                 "per_event_maximum": null,
                 *                 "minimum_amount": 40,
                 *                 "maximum_amount": 130
                 *               }
                 *             ]
                 *           }
                 *         },
                 *         "phases": [
                 *           {
                 *             "start_date": "2027-01-01",
                 *             "plan_id": null,
                 *             "version": null,
                 *             "overrides": {
                 *               "recurring_fee": 19,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130,
                 *               "components": [
                 *                 {
                 *                   "metric_id": "metric_01jd3k9x",
                 *                   "pricing_model": "per_unit",
                 *                   "overage_price": 0.002,
                 *                   "tiers": [
                 *                     {
                 *                       "up_to": 1000,
                 *                       "unit_price": 0.002,
                 *                       "flat_fee": 0
                 *                     }
                 *                   ],
                 *                   "package_size": null,
                 *                   "percentage": null,
                 *                   "fixed_amount": null,
                 *                   "per_event_minimum": null,
                 *                   "per_event_maximum": null,
                 *                   "minimum_amount": 40,
                 *                   "maximum_amount": 130
                 *                 }
                 *               ]
                 *             }
                 *           }
                 *         ],
                 *         "addons": [
                 *           {
                 *             "addon_subscription_id": "addonsub_01jd3k9x",
                 *             "addon_id": "addon_01jd3k9x",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "quantity": 3,
                 *             "status": "active",
                 *             "attached_at": "2026-11-20T10:00:00.000Z"
                 *           }
                 *         ],
                 *         "prepaid_units": [
                 *           {
                 *             "metric_id": "metric_01jd3k9x",
                 *             "units": 1000,
                 *             "used": 100,
                 *             "remaining": 900
                 *           }
                 *         ],
                 *         "previous_subscription_id": null,
                 *         "replaced_by": null,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "metadata": {
                 *           "team": "growth"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example subscription.canceled
                     * @enum {string}
                     */
                    type: "subscription.canceled";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Subscription"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveSubscriptionFailed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "subscription.failed",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "subscription_id": "sub_01jd3k9x",
                 *         "customer_id": "acme",
                 *         "plan_id": "plan_01jd3k9x",
                 *         "version": 1,
                 *         "version_id": "planv_01jd3k9x",
                 *         "currency": "usd",
                 *         "overrides": {
                 *           "recurring_fee": 19,
                 *           "minimum_amount": 40,
                 *           "maximum_amount": 130,
                 *           "components": [
                 *             {
                 *               "metric_id": "metric_01jd3k9x",
                 *               "pricing_model": "per_unit",
                 *               "overage_price": 0.002,
                 *               "tiers": [
                 *                 {
                 *                   "up_to": 1000,
                 *                   "unit_price": 0.002,
                 *                   "flat_fee": 0
                 *                 }
                 *               ],
                 *               "package_size": null,
                 *               "percentage": null,
                 *               "fixed_amount": null,
                 *               "per_event_minimum": null,
                 *               "per_event_maximum": null,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130
                 *             }
                 *           ]
                 *         },
                 *         "status": "active",
                 *         "start_date": "2026-11-20",
                 *         "trial_days": null,
                 *         "trial_ends_at": null,
                 *         "end_date": null,
                 *         "auto_renew": true,
                 *         "billing_period": "monthly",
                 *         "charge_timing": "in_arrears",
                 *         "current_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_period_end": "2026-12-20T00:00:00.000Z",
                 *         "current_usage_period_start": "2026-11-20T00:00:00.000Z",
                 *         "current_usage_period_end": "2026-12-20T00:00:00.000Z",
                 *         "days_in_period": 30,
                 *         "cancel_at": null,
                 *         "canceled_at": null,
                 *         "cancel_reason": null,
                 *         "paused_at": null,
                 *         "pending_change": {
                 *           "new_plan_id": "plan_01jd3k9y",
                 *           "effective_date": "2026-11-20",
                 *           "invoicing_behavior": "add_to_next_invoice",
                 *           "usage_behavior": "transfer_to_new_subscription",
                 *           "overrides": {
                 *             "recurring_fee": 19,
                 *             "minimum_amount": 40,
                 *             "maximum_amount": 130,
                 *             "components": [
                 *               {
                 *                 "metric_id": "metric_01jd3k9x",
                 *                 "pricing_model": "per_unit",
                 *                 "overage_price": 0.002,
                 *                 "tiers": [
                 *                   {
                 *                     "up_to": 1000,
                 *                     "unit_price": 0.002,
                 *                     "flat_fee": 0
                 *                   }
                 *                 ],
                 *                 "package_size": null,
                 *                 "percentage": null,
                 *                 "fixed_amount": null,
                 *                 "per_event_minimum": null,
                 *                 "per_event_maximum": null,
                 *                 "minimum_amount": 40,
                 *                 "maximum_amount": 130
                 *               }
                 *             ]
                 *           }
                 *         },
                 *         "phases": [
                 *           {
                 *             "start_date": "2027-01-01",
                 *             "plan_id": null,
                 *             "version": null,
                 *             "overrides": {
                 *               "recurring_fee": 19,
                 *               "minimum_amount": 40,
                 *               "maximum_amount": 130,
                 *               "components": [
                 *                 {
                 *                   "metric_id": "metric_01jd3k9x",
                 *                   "pricing_model": "per_unit",
                 *                   "overage_price": 0.002,
                 *                   "tiers": [
                 *                     {
                 *                       "up_to": 1000,
                 *                       "unit_price": 0.002,
                 *                       "flat_fee": 0
                 *                     }
                 *                   ],
                 *                   "package_size": null,
                 *                   "percentage": null,
                 *                   "fixed_amount": null,
                 *                   "per_event_minimum": null,
                 *                   "per_event_maximum": null,
                 *                   "minimum_amount": 40,
                 *                   "maximum_amount": 130
                 *                 }
                 *               ]
                 *             }
                 *           }
                 *         ],
                 *         "addons": [
                 *           {
                 *             "addon_subscription_id": "addonsub_01jd3k9x",
                 *             "addon_id": "addon_01jd3k9x",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "quantity": 3,
                 *             "status": "active",
                 *             "attached_at": "2026-11-20T10:00:00.000Z"
                 *           }
                 *         ],
                 *         "prepaid_units": [
                 *           {
                 *             "metric_id": "metric_01jd3k9x",
                 *             "units": 1000,
                 *             "used": 100,
                 *             "remaining": 900
                 *           }
                 *         ],
                 *         "previous_subscription_id": null,
                 *         "replaced_by": null,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "metadata": {
                 *           "team": "growth"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example subscription.failed
                     * @enum {string}
                     */
                    type: "subscription.failed";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Subscription"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveInvoiceCreated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "invoice.created",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "invoice_id": "inv_01jd3k9x",
                 *         "invoice_number": "INV-000001",
                 *         "customer_id": "acme",
                 *         "subscription_id": "sub_01jd3k9x",
                 *         "kind": "period",
                 *         "status": "open",
                 *         "currency": {
                 *           "code": "USD",
                 *           "name": "US Dollar",
                 *           "symbol": "$"
                 *         },
                 *         "issue_date": "2026-11-20",
                 *         "due_date": "2026-11-20",
                 *         "period_start": "2026-11-20T00:00:00.000Z",
                 *         "period_end": "2026-12-20T00:00:00.000Z",
                 *         "lines": [
                 *           {
                 *             "line_id": "line_01jd3k9x",
                 *             "customer_id": "acme",
                 *             "type": "usage",
                 *             "description": "API calls",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "plan_id": "plan_01jd3k9x",
                 *             "version": 1,
                 *             "overridden": false,
                 *             "metric_id": null,
                 *             "addon_id": null,
                 *             "credit_id": null,
                 *             "period_start": "2026-11-20T00:00:00.000Z",
                 *             "period_end": "2026-12-20T00:00:00.000Z",
                 *             "quantity": 1,
                 *             "billable_quantity": 50,
                 *             "unit_price": 29,
                 *             "amount": 29,
                 *             "tiers": [
                 *               {
                 *                 "up_to": 1000,
                 *                 "quantity": 50,
                 *                 "unit_price": 0.002,
                 *                 "flat_fee": 0,
                 *                 "amount": 0.1
                 *               }
                 *             ],
                 *             "events_count": null,
                 *             "discount_amount": 0
                 *           }
                 *         ],
                 *         "sections": [
                 *           {
                 *             "customer_id": "acme-berlin",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "kind": "period",
                 *             "period_start": "2026-11-20T00:00:00.000Z",
                 *             "period_end": "2026-12-20T00:00:00.000Z",
                 *             "subtotal": 29
                 *           }
                 *         ],
                 *         "charges_subtotal": 29,
                 *         "subtotal": 29,
                 *         "discount_amount": 0,
                 *         "tax_rate": 0,
                 *         "tax_amount": 0,
                 *         "total": 29,
                 *         "credits_applied": 0,
                 *         "amount_paid": 0,
                 *         "amount_refunded": 0,
                 *         "amount_due": 29,
                 *         "past_due": false,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "paid_at": null,
                 *         "voided_at": null,
                 *         "payments": [
                 *           {
                 *             "payment_id": "pay_01jd3k9x",
                 *             "method": "manual",
                 *             "amount": 29,
                 *             "reference": "transfer 4711",
                 *             "paid_at": "2026-11-20T10:00:00.000Z"
                 *           }
                 *         ],
                 *         "billing_address": {
                 *           "line1": "Main Street 1",
                 *           "city": "Berlin",
                 *           "state": "BE",
                 *           "postal_code": "10115",
                 *           "country": "DE"
                 *         },
                 *         "customer_name": "Acme Inc.",
                 *         "test_clock_id": null
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example invoice.created
                     * @enum {string}
                     */
                    type: "invoice.created";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Invoice"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveInvoicePaid: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "invoice.paid",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "invoice_id": "inv_01jd3k9x",
                 *         "invoice_number": "INV-000001",
                 *         "customer_id": "acme",
                 *         "subscription_id": "sub_01jd3k9x",
                 *         "kind": "period",
                 *         "status": "open",
                 *         "currency": {
                 *           "code": "USD",
                 *           "name": "US Dollar",
                 *           "symbol": "$"
                 *         },
                 *         "issue_date": "2026-11-20",
                 *         "due_date": "2026-11-20",
                 *         "period_start": "2026-11-20T00:00:00.000Z",
                 *         "period_end": "2026-12-20T00:00:00.000Z",
                 *         "lines": [
                 *           {
                 *             "line_id": "line_01jd3k9x",
                 *             "customer_id": "acme",
                 *             "type": "usage",
                 *             "description": "API calls",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "plan_id": "plan_01jd3k9x",
                 *             "version": 1,
                 *             "overridden": false,
                 *             "metric_id": null,
                 *             "addon_id": null,
                 *             "credit_id": null,
                 *             "period_start": "2026-11-20T00:00:00.000Z",
                 *             "period_end": "2026-12-20T00:00:00.000Z",
                 *             "quantity": 1,
                 *             "billable_quantity": 50,
                 *             "unit_price": 29,
                 *             "amount": 29,
                 *             "tiers": [
                 *               {
                 *                 "up_to": 1000,
                 *                 "quantity": 50,
                 *                 "unit_price": 0.002,
                 *                 "flat_fee": 0,
                 *                 "amount": 0.1
                 *               }
                 *             ],
                 *             "events_count": null,
                 *             "discount_amount": 0
                 *           }
                 *         ],
                 *         "sections": [
                 *           {
                 *             "customer_id": "acme-berlin",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "kind": "period",
                 *             "period_start": "2026-11-20T00:00:00.000Z",
                 *             "period_end": "2026-12-20T00:00:00.000Z",
                 *             "subtotal": 29
                 *           }
                 *         ],
                 *         "charges_subtotal": 29,
                 *         "subtotal": 29,
                 *         "discount_amount": 0,
                 *         "tax_rate": 0,
                 *         "tax_amount": 0,
                 *         "total": 29,
                 *         "credits_applied": 0,
                 *         "amount_paid": 0,
                 *         "amount_refunded": 0,
                 *         "amount_due": 29,
                 *         "past_due": false,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "paid_at": null,
                 *         "voided_at": null,
                 *         "payments": [
                 *           {
                 *             "payment_id": "pay_01jd3k9x",
                 *             "method": "manual",
                 *             "amount": 29,
                 *             "reference": "transfer 4711",
                 *             "paid_at": "2026-11-20T10:00:00.000Z"
                 *           }
                 *         ],
                 *         "billing_address": {
                 *           "line1": "Main Street 1",
                 *           "city": "Berlin",
                 *           "state": "BE",
                 *           "postal_code": "10115",
                 *           "country": "DE"
                 *         },
                 *         "customer_name": "Acme Inc.",
                 *         "test_clock_id": null
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example invoice.paid
                     * @enum {string}
                     */
                    type: "invoice.paid";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Invoice"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveInvoiceVoided: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "invoice.voided",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "invoice_id": "inv_01jd3k9x",
                 *         "invoice_number": "INV-000001",
                 *         "customer_id": "acme",
                 *         "subscription_id": "sub_01jd3k9x",
                 *         "kind": "period",
                 *         "status": "open",
                 *         "currency": {
                 *           "code": "USD",
                 *           "name": "US Dollar",
                 *           "symbol": "$"
                 *         },
                 *         "issue_date": "2026-11-20",
                 *         "due_date": "2026-11-20",
                 *         "period_start": "2026-11-20T00:00:00.000Z",
                 *         "period_end": "2026-12-20T00:00:00.000Z",
                 *         "lines": [
                 *           {
                 *             "line_id": "line_01jd3k9x",
                 *             "customer_id": "acme",
                 *             "type": "usage",
                 *             "description": "API calls",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "plan_id": "plan_01jd3k9x",
                 *             "version": 1,
                 *             "overridden": false,
                 *             "metric_id": null,
                 *             "addon_id": null,
                 *             "credit_id": null,
                 *             "period_start": "2026-11-20T00:00:00.000Z",
                 *             "period_end": "2026-12-20T00:00:00.000Z",
                 *             "quantity": 1,
                 *             "billable_quantity": 50,
                 *             "unit_price": 29,
                 *             "amount": 29,
                 *             "tiers": [
                 *               {
                 *                 "up_to": 1000,
                 *                 "quantity": 50,
                 *                 "unit_price": 0.002,
                 *                 "flat_fee": 0,
                 *                 "amount": 0.1
                 *               }
                 *             ],
                 *             "events_count": null,
                 *             "discount_amount": 0
                 *           }
                 *         ],
                 *         "sections": [
                 *           {
                 *             "customer_id": "acme-berlin",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "kind": "period",
                 *             "period_start": "2026-11-20T00:00:00.000Z",
                 *             "period_end": "2026-12-20T00:00:00.000Z",
                 *             "subtotal": 29
                 *           }
                 *         ],
                 *         "charges_subtotal": 29,
                 *         "subtotal": 29,
                 *         "discount_amount": 0,
                 *         "tax_rate": 0,
                 *         "tax_amount": 0,
                 *         "total": 29,
                 *         "credits_applied": 0,
                 *         "amount_paid": 0,
                 *         "amount_refunded": 0,
                 *         "amount_due": 29,
                 *         "past_due": false,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "paid_at": null,
                 *         "voided_at": null,
                 *         "payments": [
                 *           {
                 *             "payment_id": "pay_01jd3k9x",
                 *             "method": "manual",
                 *             "amount": 29,
                 *             "reference": "transfer 4711",
                 *             "paid_at": "2026-11-20T10:00:00.000Z"
                 *           }
                 *         ],
                 *         "billing_address": {
                 *           "line1": "Main Street 1",
                 *           "city": "Berlin",
                 *           "state": "BE",
                 *           "postal_code": "10115",
                 *           "country": "DE"
                 *         },
                 *         "customer_name": "Acme Inc.",
                 *         "test_clock_id": null
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example invoice.voided
                     * @enum {string}
                     */
                    type: "invoice.voided";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Invoice"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveInvoicePastDue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "invoice.past_due",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "invoice_id": "inv_01jd3k9x",
                 *         "invoice_number": "INV-000001",
                 *         "customer_id": "acme",
                 *         "subscription_id": "sub_01jd3k9x",
                 *         "kind": "period",
                 *         "status": "open",
                 *         "currency": {
                 *           "code": "USD",
                 *           "name": "US Dollar",
                 *           "symbol": "$"
                 *         },
                 *         "issue_date": "2026-11-20",
                 *         "due_date": "2026-11-20",
                 *         "period_start": "2026-11-20T00:00:00.000Z",
                 *         "period_end": "2026-12-20T00:00:00.000Z",
                 *         "lines": [
                 *           {
                 *             "line_id": "line_01jd3k9x",
                 *             "customer_id": "acme",
                 *             "type": "usage",
                 *             "description": "API calls",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "plan_id": "plan_01jd3k9x",
                 *             "version": 1,
                 *             "overridden": false,
                 *             "metric_id": null,
                 *             "addon_id": null,
                 *             "credit_id": null,
                 *             "period_start": "2026-11-20T00:00:00.000Z",
                 *             "period_end": "2026-12-20T00:00:00.000Z",
                 *             "quantity": 1,
                 *             "billable_quantity": 50,
                 *             "unit_price": 29,
                 *             "amount": 29,
                 *             "tiers": [
                 *               {
                 *                 "up_to": 1000,
                 *                 "quantity": 50,
                 *                 "unit_price": 0.002,
                 *                 "flat_fee": 0,
                 *                 "amount": 0.1
                 *               }
                 *             ],
                 *             "events_count": null,
                 *             "discount_amount": 0
                 *           }
                 *         ],
                 *         "sections": [
                 *           {
                 *             "customer_id": "acme-berlin",
                 *             "subscription_id": "sub_01jd3k9x",
                 *             "kind": "period",
                 *             "period_start": "2026-11-20T00:00:00.000Z",
                 *             "period_end": "2026-12-20T00:00:00.000Z",
                 *             "subtotal": 29
                 *           }
                 *         ],
                 *         "charges_subtotal": 29,
                 *         "subtotal": 29,
                 *         "discount_amount": 0,
                 *         "tax_rate": 0,
                 *         "tax_amount": 0,
                 *         "total": 29,
                 *         "credits_applied": 0,
                 *         "amount_paid": 0,
                 *         "amount_refunded": 0,
                 *         "amount_due": 29,
                 *         "past_due": false,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "paid_at": null,
                 *         "voided_at": null,
                 *         "payments": [
                 *           {
                 *             "payment_id": "pay_01jd3k9x",
                 *             "method": "manual",
                 *             "amount": 29,
                 *             "reference": "transfer 4711",
                 *             "paid_at": "2026-11-20T10:00:00.000Z"
                 *           }
                 *         ],
                 *         "billing_address": {
                 *           "line1": "Main Street 1",
                 *           "city": "Berlin",
                 *           "state": "BE",
                 *           "postal_code": "10115",
                 *           "country": "DE"
                 *         },
                 *         "customer_name": "Acme Inc.",
                 *         "test_clock_id": null
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example invoice.past_due
                     * @enum {string}
                     */
                    type: "invoice.past_due";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Invoice"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveRefundCreated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "refund.created",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "refund_id": "refund_01jd3k9x",
                 *         "invoice_id": "inv_01jd3k9x",
                 *         "customer_id": "acme",
                 *         "amount": 5,
                 *         "currency": {
                 *           "code": "USD",
                 *           "name": "US Dollar",
                 *           "symbol": "$"
                 *         },
                 *         "method": "bank_transfer",
                 *         "reason": "duplicate",
                 *         "description": null,
                 *         "status": "succeeded",
                 *         "credit_id": null,
                 *         "processor_refund_id": null,
                 *         "expected_by": null,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "completed_at": null
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example refund.created
                     * @enum {string}
                     */
                    type: "refund.created";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Refund"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveRefundSucceeded: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "refund.succeeded",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "refund_id": "refund_01jd3k9x",
                 *         "invoice_id": "inv_01jd3k9x",
                 *         "customer_id": "acme",
                 *         "amount": 5,
                 *         "currency": {
                 *           "code": "USD",
                 *           "name": "US Dollar",
                 *           "symbol": "$"
                 *         },
                 *         "method": "bank_transfer",
                 *         "reason": "duplicate",
                 *         "description": null,
                 *         "status": "succeeded",
                 *         "credit_id": null,
                 *         "processor_refund_id": null,
                 *         "expected_by": null,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "completed_at": null
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example refund.succeeded
                     * @enum {string}
                     */
                    type: "refund.succeeded";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Refund"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveCreditCreated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01jd3k9x",
                 *       "type": "credit.created",
                 *       "timestamp": "2026-11-20T10:00:00.000Z",
                 *       "data": {
                 *         "credit_id": "credit_01jd3k9x",
                 *         "customer_id": "acme",
                 *         "amount": 10,
                 *         "amount_remaining": 10,
                 *         "currency": {
                 *           "code": "USD",
                 *           "name": "US Dollar",
                 *           "symbol": "$"
                 *         },
                 *         "reason": "service_credit",
                 *         "description": null,
                 *         "status": "active",
                 *         "expires_at": null,
                 *         "voided_at": null,
                 *         "created_at": "2026-11-20T10:00:00.000Z",
                 *         "applications": [
                 *           {
                 *             "invoice_id": "inv_01jd3k9x",
                 *             "amount": 10,
                 *             "applied_at": "2026-11-20T10:00:00.000Z"
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The same as `webhook-id`: of the event, whatever endpoint or attempt.
                     * @example evt_01jd3k9x
                     */
                    id: string;
                    /**
                     * @description What happened.
                     * @example credit.created
                     * @enum {string}
                     */
                    type: "credit.created";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-20T10:00:00.000Z
                     */
                    timestamp: string;
                    /** @description The resource as it was then. */
                    data: components["schemas"]["Credit"];
                };
            };
        };
        responses: {
            /** @description Taken, within 15 s. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
